/**
 * The log as one text over several files, so that no file grows without end. The first is `audit.jsonl`; the name of each
 * later one says at which byte of the whole log it begins. An offset therefore means the same before and after a file is
 * begun: chain, anchor and search know nothing of files. A file that is missing, cut or longer moves all records after
 * it away from their offsets, which the chain reports.
 */
import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface LogFile {
  readonly path: string
  /** The offset of its first byte in the whole log. */
  readonly start: number
}

const LATER = /^audit-(\d{16})\.jsonl$/

/** The files of the log whose first one is `path`, in their order. The first is named even if it is missing. */
export function filesOf(path: string): readonly [LogFile, ...LogFile[]] {
  const folder = dirname(path)
  const later = namesIn(folder).flatMap((name): readonly LogFile[] => {
    const digits = LATER.exec(name)?.[1]
    return digits === undefined ? [] : [{ path: join(folder, name), start: Number(digits) }]
  })
  return [{ path, start: 0 }, ...later.toSorted((a, b) => a.start - b.start)]
}

export function lastOf(path: string): LogFile {
  const files = filesOf(path)
  return files.at(-1) ?? files[0]
}

/** The end of the log: after the last byte of its last file. 0 for a missing log. */
export function sizeOf(path: string): number {
  const last = lastOf(path)
  return last.start + bytesOf(last.path)
}

/** 0 for a missing file. */
export function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Creates the file that continues the log at this offset, and makes its name durable. Returns its descriptor. */
export function beginFile(path: string, start: number): number {
  const folder = dirname(path)
  const fd = openSync(join(folder, nameFor(start)), 'a', 0o600)
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return fd
}

/** Of a log that ends at `bytes`: its files, and how many bytes of each belong to it. */
export function partsOf(
  path: string,
  bytes: number,
): readonly { readonly name: string; readonly bytes: number }[] {
  const files = filesOf(path).filter(({ start }) => start < bytes)
  return files.map(({ path: file, start }, at) => ({
    name: basename(file),
    bytes: (files[at + 1]?.start ?? bytes) - start,
  }))
}

function nameFor(start: number): string {
  return `audit-${String(start).padStart(16, '0')}.jsonl`
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
