/** One file or folder of the host that a sandbox mounts. A path that is not mounted does not exist inside. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly writable: boolean
}
