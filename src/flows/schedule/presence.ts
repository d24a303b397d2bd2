/**
 * The time until which schedules were attended, kept in the store: what was due since then had nobody to start it. Shared
 * by all kernels on one database, so one that was away takes no time for missed that another attended.
 */
import type { Notes } from '../../kernel/ports.ts'

export interface Presence {
  /** Milliseconds since 1970; undefined before the first `keep`. */
  read(): Promise<number | undefined>
  keep(at: number): Promise<void>
}

const [KIND, ID] = ['schedules', 'attended']

export function createPresence(notes: Pick<Notes, 'list' | 'put'>): Presence {
  return {
    async read() {
      const found = (await notes.list(KIND)).find(({ id }) => id === ID)
      const at = Date.parse(found?.content ?? '')
      return Number.isNaN(at) ? undefined : at
    },
    keep: (at) => notes.put(KIND, ID, new Date(at).toISOString()),
  }
}
