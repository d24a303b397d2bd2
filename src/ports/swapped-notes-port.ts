/** The port for notes that may change under the hand of the process that read them. Implemented by `store/`. */
import type { SharedNotes } from '../kernel/ports.ts'

/** Notes that several processes replace. */
export interface SwappedNotes extends SharedNotes {
  /** Replaces a note that is still `from`. False if it is not: of several processes at once, one succeeds. */
  swap(kind: string, id: string, from: string, to: string): Promise<boolean>
}
