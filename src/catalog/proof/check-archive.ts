/**
 * Looks through a package's archive before its unpacked files are used: every name must stay inside, every link too, and
 * nothing may be a device. npm would move such an entry or leave it out without a word. The archive is untrusted: it is
 * read as a stream, and only its headers are kept.
 */
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { Unfit } from '../install/unfit.ts'

const BLOCK = 512
const LARGEST_NOTE = 1 << 20
const MOST_BYTES = 2 ** 31

/** Throws `Unfit` at the first entry that leads elsewhere. */
export async function checkArchive(file: string): Promise<void> {
  const reader = createTarReader()
  let bytes = 0
  const stream = createReadStream(file).pipe(createGunzip())
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new Unfit('one of its archives is too large')
    reader.take(chunk)
  }
}

type State = { readonly kind: 'header' } | { readonly kind: 'body'; left: number; note?: Note }

interface Note {
  readonly type: string
  readonly chunks: Buffer[]
  readonly size: number
}

/** Names for the next entry, from the notes before it: PAX (POSIX.1-2001) or GNU. */
interface Named {
  path?: string
  link?: string
}

/** Reads on after the end mark: another reader may need two of them to stop, and would see what follows the first. */
function createTarReader(): { take(chunk: Buffer): void } {
  let rest: Buffer = Buffer.alloc(0)
  let state: State = { kind: 'header' }
  let named: Named = {}
  const step = (): 'more' | 'again' => {
    if (state.kind === 'body') {
      const taken = rest.subarray(0, state.left)
      state.note?.chunks.push(taken)
      rest = rest.subarray(taken.length)
      state.left -= taken.length
      if (state.left > 0) return 'more'
      if (state.note) named = { ...named, ...readNote(state.note) }
      state = { kind: 'header' }
      return 'again'
    }
    if (rest.length < BLOCK) return 'more'
    const header = rest.subarray(0, BLOCK)
    rest = rest.subarray(BLOCK)
    if (header.every((byte) => byte === 0)) return 'again'
    const { entry, padded } = readHeader(header)
    const isNote = NOTES.has(entry.type)
    if (!isNote) {
      checkEntry({ ...entry, ...named })
      named = {}
    }
    const note = isNote ? { note: { type: entry.type, chunks: [], size: entry.size } } : {}
    state = { kind: 'body', left: padded, ...note }
    return 'again'
  }
  return {
    take(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      while (step() === 'again') continue
    },
  }
}

const NOTES = new Set(['x', 'g', 'L', 'K'])

interface Entry {
  readonly path: string
  readonly link: string
  readonly type: string
  readonly size: number
}

function readHeader(header: Buffer): { readonly entry: Entry; readonly padded: number } {
  const text = (from: number, length: number): string => {
    const field = header.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.subarray(0, end < 0 ? length : end).toString('utf8')
  }
  const size = Number.parseInt(text(124, 12).trim() || '0', 8)
  const type = text(156, 1) || '0'
  const isSound = Number.isSafeInteger(size) && size >= 0 && hasItsSum(header)
  // A header that another reader would skip or measure otherwise would hide the entries after it from this one.
  if (!isSound || (NOTES.has(type) && size > LARGEST_NOTE)) throw damaged()
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : ''
  const path = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
  const entry = { path, link: text(157, 100), type, size }
  return { entry, padded: Math.ceil(size / BLOCK) * BLOCK }
}

function readNote({ type, chunks, size }: Note): Named {
  const text = Buffer.concat(chunks).subarray(0, size).toString('utf8')
  if (type === 'L') return { path: text.replace(/\0.*$/s, '') }
  if (type === 'K') return { link: text.replace(/\0.*$/s, '') }
  const values = (key: string): readonly string[] =>
    Array.from(text.matchAll(new RegExp(`^\\d+ ${key}=(.*)$`, 'gm')), ([, value = '']) => value)
  const [paths, links] = [values('path'), values('linkpath')]
  const isGlobal = type === 'g' && paths.length + links.length > 0
  if (isGlobal || paths.length > 1 || links.length > 1 || values('size').length > 0) throw damaged()
  const [path, link] = [paths[0], links[0]]
  return { ...(path !== undefined && { path }), ...(link !== undefined && { link }) }
}

const SUM_AT = 148
const SUM_LENGTH = 8

/** The sum of all bytes, those of the sum itself counted as spaces. */
function hasItsSum(header: Buffer): boolean {
  const field = header.subarray(SUM_AT, SUM_AT + SUM_LENGTH)
  const written = Number.parseInt(field.toString('latin1').replaceAll('\0', ' ').trim(), 8)
  const own = field.reduce((sum, byte) => sum + byte, 0)
  const all = header.reduce((sum, byte) => sum + byte, 0)
  return all - own + SUM_LENGTH * 32 === written
}

function damaged(): Unfit {
  return new Unfit('an archive of it is damaged')
}

const FILES = new Set(['0', '5', '7'])
const LINKS = new Set(['1', '2'])

function checkEntry({ path, link, type }: Entry): void {
  const shown = JSON.stringify(path.slice(0, 100))
  if (leadsElsewhere(path)) throw new Unfit(`${shown} in an archive of it leads elsewhere`)
  if (FILES.has(type)) return
  if (!LINKS.has(type)) throw new Unfit(`${shown} in an archive of it is no file`)
  // A hard link names a path in the archive; a symbolic link leads on from the folder of its own.
  const from = type === '1' ? [] : path.split('/').slice(0, -1)
  if (leadsElsewhere(link) && (type === '1' || link.startsWith('/') || climbs(from, link))) {
    throw new Unfit(`${shown} in an archive of it is a link to elsewhere`)
  }
}

function leadsElsewhere(path: string): boolean {
  return /^[/\\]|^[a-z]:|\0/i.test(path) || path.split(/[/\\]/).includes('..')
}

/** Whether a relative path from this folder leaves the first folder of the archive. */
function climbs(folder: readonly string[], link: string): boolean {
  let depth = folder.length
  for (const part of link.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '.' && part !== '') depth += 1
    if (depth < 1) return true
  }
  return false
}
