/** One place of the host that a sandbox shows. What is not mounted does not exist in there. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly writable: boolean
}
