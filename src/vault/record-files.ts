/**
 * `vault/records/`: one file per secret, each written whole. Damage to one file is reported, and never affects another.
 */
import { basename, join } from 'node:path'
import type { Files } from '../kernel/ports.ts'
import type { Keyring } from './keyring.ts'
import {
  openRecord,
  parseRecord,
  type RecordState,
  type StoredRecord,
  sealRecord,
} from './record.ts'

export interface RecordFiles {
  ids(): Promise<readonly string[]>
  /** With a ring, a record that does not decrypt counts as damaged; without a ring, only its shape is checked. */
  inspect(id: string, ring: Keyring | undefined): Promise<RecordState>
  write(id: string, record: StoredRecord): Promise<void>
  remove(id: string): Promise<void>
}

export function createRecordFiles(files: Files, folder: string): RecordFiles {
  const path = (id: string): string => join(folder, 'records', `${id}.json`)
  return {
    async ids(): Promise<readonly string[]> {
      const names = await files.list(join(folder, 'records'))
      return names.filter((name) => name.endsWith('.json')).map((name) => basename(name, '.json'))
    },
    async inspect(id, ring): Promise<RecordState> {
      // A file that cannot be read from disk counts as damaged, and must not hide the other records.
      const bytes = await files.read(path(id)).catch(() => Buffer.alloc(0))
      const state = parseRecord(id, bytes)
      if (state.kind !== 'intact' || !ring) return state
      const value = openRecord(ring, state.record)
      value?.fill(0)
      return value ? state : { kind: 'damaged', of: state.record }
    },
    write: (id, record) => files.write(path(id), `${JSON.stringify(record, null, 2)}\n`),
    remove: (id) => files.remove(path(id)),
  }
}

/**
 * Re-encrypts every record with the ring's active key, one whole file at a time; can be interrupted anywhere and run
 * again. A damaged record keeps its bytes.
 */
export async function reencryptRecords(
  records: RecordFiles,
  ring: Keyring,
): Promise<{ readonly moved: number; readonly damaged: number }> {
  let moved = 0
  let damaged = 0
  for (const id of await records.ids()) {
    const state = await records.inspect(id, undefined)
    if (state.kind === 'absent') continue
    const value = state.kind === 'intact' ? openRecord(ring, state.record) : undefined
    if (state.kind === 'damaged' || !value) {
      damaged += 1
      continue
    }
    const { principal, name, createdAt, updatedAt } = state.record
    if (state.record.key !== ring.active) {
      const about = { principal, name, createdAt, updatedAt }
      await records.write(id, sealRecord(ring, about, value))
      moved += 1
    }
    value.fill(0)
  }
  return { moved, damaged }
}
