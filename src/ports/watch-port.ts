/** Port for watches: things that Cordon looks at again and again, to tell the owner of a change. */

export interface WatchView {
  readonly number: number
  /** The owner's words for what is watched. */
  readonly about: string
  readonly everyMs: number
  readonly nextAt: number
  /** The last look failed, and the owner was told. */
  readonly hasFailed?: boolean
}

/** Watches are set in the chat, since setting one takes a plan; they are listed and ended anywhere. */
export interface WatchList {
  list(): Promise<readonly WatchView[]>
  /** The watch that was there. */
  remove(number: number): Promise<WatchView | undefined>
}
