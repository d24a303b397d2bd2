/**
 * Opens the log for writing, if its end matches the anchor. Checks the anchored record and all that follow; only
 * `verify` checks the whole log. A line that a crash tore is cut off, kept, and recorded. Anything else is damage, and
 * damage is left untouched.
 */
import { truncate, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { PrincipalId } from '../kernel/principal.ts'
import { EMPTY_HEAD, type Head, MAX_LINE_BYTES, parseRecord } from './audit-line.ts'
import { createAnchor, openAnchor, readAnchor } from './anchor.ts'
import { type Line, readLines } from './read-lines.ts'
import { lastOf, sizeOf } from './log-files.ts'
import { LogWriter, type WriterSettings } from './log-writer.ts'
import { syncFolder } from './replace-file.ts'
import { spellEvent } from './spell-event.ts'
import { walkChain } from './walk-chain.ts'

export interface LogPaths {
  readonly log: string
  readonly anchor: string
}

export interface LogSettings extends WriterSettings {
  /** The owner of the home: what recovery does is recorded in their name. */
  readonly owner: PrincipalId
}

export type OpenedLog =
  | { readonly kind: 'sound'; readonly writer: LogWriter }
  | { readonly kind: 'damaged'; readonly problem: string }

export async function openLog(paths: LogPaths, settings: LogSettings): Promise<OpenedLog> {
  const size = sizeOf(paths.log)
  if (size === 0 && readAnchor(paths.anchor).kind === 'absent') {
    await createAnchor(paths.anchor, EMPTY_HEAD)
  }
  const found = readAnchor(paths.anchor)
  if (found.kind !== 'found') return damaged(`The anchor of the log is ${found.kind}`)
  const expected = found.head.bytes
  if (size < expected) {
    return damaged(`The log is cut short, or gone: ${size} bytes are left of ${expected}`)
  }

  const from = await headBefore(paths.log, found.head)
  const { head, torn, problem } = await walkChain(paths.log, { from, to: size }, [found.head])
  if (problem) return damaged(problem.message)
  if (torn?.bytes.length === 0) return damaged('The log ends in something that is not a record')

  const kept = torn && (await cutOff(paths.log, torn, settings.now()))
  const writer = new LogWriter(paths.log, head, openAnchor(paths.anchor, found), settings)
  await syncFolder(dirname(paths.log))
  if (kept) {
    settings.log.warn('A torn line at the end of the audit log was cut off', kept)
    const event = { kind: 'audit.recovered', principal: settings.owner, details: kept } as const
    writer.append(spellEvent(event, settings.spell))
  }
  await writer.flush()
  return { kind: 'sound', writer }
}

/** The time as part of a file name. */
export function timeName(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '')
}

function damaged(problem: string): OpenedLog {
  return { kind: 'damaged', problem }
}

/** The head right before the anchored record, so that a walk from there meets the anchored record first. */
async function headBefore(path: string, anchored: Head): Promise<Head> {
  if (anchored.seq === 0) return EMPTY_HEAD
  let last: Line | undefined
  const from = Math.max(0, anchored.bytes - MAX_LINE_BYTES)
  for await (const line of readLines(path, from, anchored.bytes)) last = line
  const prev = last && parseRecord(last.bytes)?.prev
  return { seq: anchored.seq - 1, hash: prev ?? EMPTY_HEAD.hash, bytes: last?.start ?? 0 }
}

/** Cuts a torn, never acknowledged line off the end of the log; its bytes are kept in a file of their own. */
async function cutOff(
  path: string,
  torn: Line,
  now: number,
): Promise<{ readonly file: string; readonly bytes: number }> {
  const file = join(dirname(path), `torn-${timeName(now)}.part`)
  await writeFile(file, torn.bytes, { mode: 0o600, flag: 'wx', flush: true })
  const last = lastOf(path)
  await truncate(last.path, torn.start - last.start)
  return { file: basename(file), bytes: torn.bytes.length }
}
