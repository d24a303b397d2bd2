/**
 * A note of a tar archive about the entry after it: PAX (POSIX.1-2001) or GNU. Read strictly: a record that another
 * program would pass over, or read differently, makes the archive unusable. Pure.
 */
import { Unfit } from '../install/unfit.ts'

/** Names for the next entry, and its size as older versions of npm wrote it here once more. */
export interface Named {
  readonly path?: string
  readonly link?: string
  readonly size?: number
}

const FOR_ALL = 'g'
export const PAX: ReadonlySet<string> = new Set(['x', FOR_ALL])
export const NOTES: ReadonlySet<string> = new Set([...PAX, 'L', 'K'])
/** node-tar passes over a larger one. */
export const LARGEST_NOTE: number = 1 << 20

export function readNote(type: string, bytes: Buffer): Named {
  if (type === 'L') return { path: gnuText(bytes) }
  if (type === 'K') return { link: gnuText(bytes) }
  return type === FOR_ALL ? readForAll(bytes) : readForNext(paxRecords(bytes))
}

/** Names or sizes for every entry would be those of none. */
function readForAll(bytes: Buffer): Named {
  const records = paxRecords(bytes)
  if (['path', 'linkpath', 'size'].some((key) => records.has(key))) throw damaged()
  return {}
}

function readForNext(records: ReadonlyMap<string, string>): Named {
  const [path, link, size] = [records.get('path'), records.get('linkpath'), records.get('size')]
  if (!/^\d{1,15}$/.test(size ?? '0')) throw damaged()
  return {
    ...(path !== undefined && { path }),
    ...(link !== undefined && { link }),
    ...(size !== undefined && { size: Number(size) }),
  }
}

/** Ends at its first NUL, after which nothing else may stand. */
function gnuText(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  const text = bytes.subarray(0, end < 0 ? bytes.length : end)
  if (text.length === 0 || bytes.subarray(text.length).some((byte) => byte !== 0)) throw damaged()
  return text.toString('utf8')
}

const LONGEST_LENGTH = 8

function paxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const { key, value, end } = recordAt(bytes, at)
    if (records.has(key)) throw damaged()
    records.set(key, value)
    at = end
  }
  return records
}

interface PaxRecord {
  readonly key: string
  readonly value: string
  readonly end: number
}

/** Each record is its own length in digits, a space, `key=value` and a line feed. */
function recordAt(bytes: Buffer, at: number): PaxRecord {
  const head = bytes.toString('latin1', at, at + LONGEST_LENGTH)
  const digits = /^([1-9]\d*) /.exec(head)?.[1] ?? ''
  const end = at + Number(digits)
  const record = bytes.toString('utf8', at + digits.length + 1, end)
  const [, key = '', value = ''] = /^([^=\n\0]+)=([^\n\0]*)\n$/.exec(record) ?? []
  if (key === '' || end > bytes.length) throw damaged()
  return { key, value, end }
}

export function damaged(): Unfit {
  return new Unfit('an archive of it is damaged')
}
