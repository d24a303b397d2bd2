/** Notes of several kernels in memory, for tests. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SwappedNotes } from '../../ports/swapped-notes-port.ts'

/** Each answer comes a turn later, so that what was read may be old by then. */
export function createNotes(): SwappedNotes {
  const rows = new Map<string, string>()
  const key = (kind: string, id: string): string => `${kind}\n${id}`
  return {
    async put(kind, id, content) {
      await nextTurn()
      rows.set(key(kind, id), content)
    },
    async list(kind) {
      const own = [...rows].filter(([one]) => one.startsWith(`${kind}\n`))
      await nextTurn()
      return own.map(([one, content]) => ({ id: one.slice(kind.length + 1), content }))
    },
    async remove(kind, id) {
      await nextTurn()
      rows.delete(key(kind, id))
    },
    async add(kind, id, content) {
      await nextTurn()
      if (rows.has(key(kind, id))) return false
      rows.set(key(kind, id), content)
      return true
    },
    async swap(kind, id, from, to) {
      await nextTurn()
      if (rows.get(key(kind, id)) !== from) return false
      rows.set(key(kind, id), to)
      return true
    },
  }
}
