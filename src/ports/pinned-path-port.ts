/** The port for holding a file or folder open while its path is judged. Rooms get it from the house; `home/` has it. */

/**
 * Opens a path component by component without following links, and holds the inode that it leads to, so that a path which
 * was judged cannot become another file. `root` is another process's `/proc/PID/root`, for a path as that process sees it.
 * Throws as `open` does.
 */
export type PinPath = (wanted: string, root?: string) => PinnedPath

export interface PinnedPath extends Disposable {
  /** Absolute, without links. */
  readonly path: string
  /** Device and inode. No other file gets this inode as long as it is held. */
  readonly identity: string
  /** The folders in which a link was followed. */
  readonly linkFolders: readonly string[]
  /** A path that leads to the held file itself, whatever has become of its name. */
  readonly heldAt: string
}
