/** The port for files that Cordon does not write alone. Implemented by `home/`. */
import type { Files } from '../kernel/ports.ts'

/** Files that other programs write as well. */
export interface SharedFiles extends Files {
  /**
   * Like `write`. `isStill` is asked when the new bytes are on disk, right before they take the name; if it says no, false
   * comes back and nothing has changed.
   */
  replace(
    path: string,
    content: string | Uint8Array,
    mode: number | undefined,
    isStill: () => Promise<boolean>,
  ): Promise<boolean>
}
