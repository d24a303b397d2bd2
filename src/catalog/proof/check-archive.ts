/**
 * Looks through a package's archive before its unpacked files are used: every name must stay inside, every link too, and
 * nothing may be a device. npm would move such an entry or leave it out without a word. The archive is untrusted: it is
 * read as a stream, and only its headers are kept. A header that npm's reader (node-tar) could read in another way than
 * this one would hide entries from it, so it makes the archive unusable: nothing is guessed.
 */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Unfit } from '../install/unfit.ts'
import { BLOCK, type Entry, readHeader } from './read-header.ts'
import { damaged, type Named, NOTES, readNote } from './read-note.ts'

const MOST_BYTES = 2 ** 31

/** Throws `Unfit` at the first entry that leads elsewhere. */
export async function checkArchive(file: string): Promise<void> {
  const reader = createTarReader()
  let bytes = 0
  await pipeline(createReadStream(file), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > MOST_BYTES) throw new Unfit('one of its archives is too large')
      reader.take(chunk)
    }
  })
  reader.end()
}

type State = { readonly kind: 'header' } | { readonly kind: 'body'; left: number; note?: Note }

interface Note {
  readonly type: string
  readonly chunks: Buffer[]
  readonly size: number
}

/** Reads on after the end mark: another reader may need two of them to stop, and would see what follows the first. */
function createTarReader(): { take(chunk: Buffer): void; end(): void } {
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
      if (state.note) named = { ...named, ...textOf(state.note) }
      state = { kind: 'header' }
      return 'again'
    }
    if (rest.length < BLOCK) return 'more'
    const header = rest.subarray(0, BLOCK)
    rest = rest.subarray(BLOCK)
    if (header.every((byte) => byte === 0)) return 'again'
    const entry = readHeader(header)
    const isNote = NOTES.has(entry.type)
    if (!isNote) {
      checkEntry(entry, named)
      named = {}
    }
    const note = isNote ? { note: { type: entry.type, chunks: [], size: entry.size } } : {}
    state = { kind: 'body', left: Math.ceil(entry.size / BLOCK) * BLOCK, ...note }
    return 'again'
  }
  return {
    take(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      while (step() === 'again') continue
    },
    end() {
      if (state.kind === 'body' && state.left > 0) throw damaged()
    },
  }
}

function textOf({ type, chunks, size }: Note): Named {
  return readNote(type, Buffer.concat(chunks).subarray(0, size))
}

const FILE = '0'
const FOLDER = '5'
const FILES = new Set([FILE, FOLDER, '7'])
const HARD_LINK = '1'
const LINKS = new Set([HARD_LINK, '2'])

/** Every name counts, also one that a note replaces: node-tar passes over a note where it counts another length. */
function checkEntry(entry: Entry, named: Named): void {
  const { type } = entry
  const paths = [...entry.paths, ...(named.path === undefined ? [] : [named.path])]
  const links = [entry.link, ...(named.link === undefined ? [] : [named.link])]
  const shown = JSON.stringify((paths.at(-1) ?? '').slice(0, 100))
  if (paths.some(leadsElsewhere)) throw new Unfit(`${shown} in an archive of it leads elsewhere`)
  refuseOdd(entry, { paths, named })
  if (FILES.has(type)) return
  if (!LINKS.has(type)) throw new Unfit(`${shown} in an archive of it is no file`)
  for (const path of paths) {
    if (links.some((link) => leavesBy(type, path, link))) {
      throw new Unfit(`${shown} in an archive of it is a link to elsewhere`)
    }
  }
}

interface Names {
  readonly paths: readonly string[]
  readonly named: Named
}

/** Entries of which node-tar would read more or less as content: it goes by a note, and takes the size of a folder for 0. */
function refuseOdd({ type, size }: Entry, { paths, named }: Names): void {
  const isFolder = type === FOLDER || (type === FILE && paths.some((one) => one.endsWith('/')))
  const isOtherSize = named.size !== undefined && named.size !== size
  if (isOtherSize || (isFolder && size > 0) || named.path === '') throw damaged()
}

/** A hard link names a path in the archive; a symbolic link leads on from the folder of its own. */
function leavesBy(type: string, path: string, link: string): boolean {
  if (!leadsElsewhere(link)) return false
  return type === HARD_LINK || link.startsWith('/') || climbs(path.split('/').slice(0, -1), link)
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
