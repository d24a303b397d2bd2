/** How hosts are reached that the owner chose in a setting of their own, such as the registry of their npm. Types only. */

/** The way to hosts of the owner's choice: they may be on this machine or on a private network. */
export interface ChosenWay {
  readonly port: number
  /** The hosts were named by somebody else, as those in the name of an image: no private address counts for them. */
  readonly isPublicOnly?: boolean
  /** The owner's own proxy, which makes the connection. */
  readonly proxy?: ForwardProxy
  /** Called with the number of bytes of each piece that came back. */
  readonly onBytes?: (bytes: number) => void
  /** Called with the reason why an allowed host was not reached. */
  readonly onFailed?: (reason: string) => void
}

/** An HTTP proxy of the owner's network. */
export interface ForwardProxy {
  readonly host: string
  readonly port: number
  /** The value of `Proxy-Authorization`. Sent to the proxy, and never shown. */
  readonly authorization?: string
  /** Present: TLS to the proxy, under these certificate authorities (PEM) and Node's own. */
  readonly authorities?: string
}
