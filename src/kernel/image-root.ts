/** The root file system of an installed container image, as the sandbox of its server uses it. */
export interface ImageRoot {
  /** The unpacked file system, absolute. It becomes `/`, read-only. */
  readonly root: string
  readonly workingFolder: string
  /** Inside only: outside, every process of a sandbox is an ordinary user. */
  readonly user: { readonly uid: number; readonly gid: number }
  /** Variables that the image sets. Those of the definition count more. */
  readonly environment: Readonly<Record<string, string>>
  /** Folders that the image means to write to (`VOLUME`): empty scratch space at every start. */
  readonly volumes: readonly string[]
  /** Paths inside of declared folders, by their path outside; absent: the same path. */
  readonly shownAt: Readonly<Record<string, string>>
}
