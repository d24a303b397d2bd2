/**
 * Renames a damaged log, whole and never deleted, and starts a new chain whose first record says so. The anchor changes
 * last: a crash on the way leaves a log that is still known to be damaged.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { PrincipalId } from '../kernel/principal.ts'
import { EMPTY_HEAD, sealEvent } from './audit-line.ts'
import { createAnchor, readAnchor } from './anchor.ts'
import type { WriterSettings } from './log-writer.ts'
import { bytesOf, filesOf } from './log-files.ts'
import { type LogPaths, timeName } from './open-log.ts'
import { replaceFile } from './replace-file.ts'
import { spellEvent } from './spell-event.ts'

export interface Resealed {
  /** The new file name of the old log. */
  readonly kept: string
}

export async function resealLog(
  paths: LogPaths,
  settings: WriterSettings,
  owner: PrincipalId,
  problem: string,
): Promise<Resealed> {
  const now = settings.now()
  const anchor = readAnchor(paths.anchor)
  const anchored = anchor.kind === 'found' ? { ...anchor.head } : null
  const { kept, ...old } = await setAside(paths.log, now)
  const details = { ...old, problem, anchored }
  const event = { kind: 'audit.resealed', principal: owner, subject: kept, details } as const
  const spelled = spellEvent(event, settings.spell)
  const { head, line } = sealEvent(spelled, new Date(now).toISOString(), EMPTY_HEAD)
  await replaceFile(paths.log, line)
  await createAnchor(paths.anchor, head)
  return { kept }
}

/**
 * Renames the old log, its first file last: until then the rest is a log that was cut, so a crash leaves it damaged. For
 * a missing log an empty file is kept, so that the name always leads to a file.
 */
async function setAside(
  path: string,
  now: number,
): Promise<{ kept: string; bytes: number; sha256: string }> {
  if (bytesOf(path) === 0) await writeFile(path, '', { mode: 0o600 })
  const files = filesOf(path)
  const sum = createHash('sha256')
  let bytes = 0
  for (const file of files) {
    bytes += bytesOf(file.path)
    await pipeline(createReadStream(file.path), sum, { end: false })
  }
  const name = `audit-${timeName(now)}.damaged`
  for (const file of files.slice(1).reverse()) {
    await rename(file.path, join(dirname(path), `${name}-${file.start}.jsonl`))
  }
  const kept = `${name}.jsonl`
  await rename(path, join(dirname(path), kept))
  return { kept, bytes, sha256: sum.digest('hex') }
}
