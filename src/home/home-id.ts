/**
 * The random id of a home, made once. It tells homes on a shared database apart, where names of machines and paths may be
 * equal, as in containers. Not part of a backup: a home that is restored elsewhere is another one.
 */
import { randomUUID } from 'node:crypto'
import type { Files } from '../kernel/ports.ts'

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A file that is damaged is replaced: the home counts as a new one then. */
export async function readHomeId(
  path: string,
  files: Pick<Files, 'read' | 'write'>,
): Promise<string> {
  const kept = (await files.read(path))?.toString('utf8').trim() ?? ''
  if (ID.test(kept)) return kept
  const id = randomUUID()
  await files.write(path, `${id}\n`)
  return id
}
