/** Limits of the programs that use the gateway, as facts with a source. They decide how much a client is sent at once, never what it may do. */

export interface SourcedLimit {
  readonly most: number
  /** The page that says so. */
  readonly source: string
}

export interface ClientLimits {
  /** Tools in a list. */
  readonly tools?: SourcedLimit
  /** Estimated tokens of a list. */
  readonly listTokens?: SourcedLimit
  /** Estimated tokens of one result. */
  readonly resultTokens?: SourcedLimit
  /** Milliseconds until the program gives a call up. */
  readonly timeoutMs?: SourcedLimit
}

export interface ClientKind {
  /** For `cordon client add --kind`. */
  readonly id: string
  readonly title: string
  /** Names by which the program introduces itself (`clientInfo.name`), in lower case. */
  readonly names: readonly string[]
  readonly limits: ClientLimits
}
