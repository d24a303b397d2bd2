/** The port of saved flows in the store. */

/** Saved flows on disk. */
export interface SavedFlowRows {
  put(flow: StoredFlow, replace: boolean): Promise<boolean>
  get(name: string): Promise<StoredFlow | undefined>
  list(): Promise<readonly StoredFlow[]>
  remove(name: string): Promise<boolean>
}
export interface StoredFlow {
  readonly name: string
  readonly savedAt: number
  /** The IR as JSON. */
  readonly ir: string
  /** The text that the owner wrote; absent if the flow was given as words or JSON. */
  readonly text?: string
}
