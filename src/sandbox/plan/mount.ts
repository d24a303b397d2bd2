/** One file or folder of the host that a sandbox mounts. A path that is not mounted does not exist inside. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly writable: boolean
  /** A part of an image's root file system: mounted before everything else. */
  readonly isRoot?: true
  /** Device and inode of the judged source; the launch ends if anything else is found at the target inside. */
  readonly identity?: string
}
