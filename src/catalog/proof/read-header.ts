/**
 * One header of a tar archive, read strictly: a field that two programs could read differently makes the archive
 * unusable. Pure.
 */
import { damaged, LARGEST_NOTE, NOTES, PAX } from './read-note.ts'

export const BLOCK = 512

export interface Entry {
  /** The name alone, and with its prefix where the header has one: programs differ in which of them counts. */
  readonly paths: readonly string[]
  readonly link: string
  readonly type: string
  readonly size: number
}

export function readHeader(header: Buffer): Entry {
  checkSum(header)
  const type = text(header, TYPE) || '0'
  const size = numberIn(header.subarray(SIZE.at, SIZE.at + SIZE.length))
  const [name, link] = [text(header, NAME), text(header, LINK)]
  if (name === '' || isLinkOdd(type, link) || (NOTES.has(type) && size > LARGEST_NOTE)) {
    throw damaged()
  }
  return { paths: pathsOf(header, name), link, type, size }
}

const LINKS = new Set(['1', '2'])

/** node-tar passes over such a header without its content, which it then reads as headers. */
function isLinkOdd(type: string, link: string): boolean {
  return LINKS.has(type) ? link === '' : link !== '' && !PAX.has(type)
}

function pathsOf(header: Buffer, name: string): readonly string[] {
  const prefix = text(header, MAGIC) === 'ustar' ? text(header, PREFIX) : ''
  if (prefix !== '') return [name, `${prefix}/${name}`]
  // node-tar goes by this byte: it would put an empty prefix, and so a slash, before the name.
  if (header[LONG_PREFIX_AT] !== 0) throw damaged()
  return [name]
}

interface Field {
  readonly at: number
  readonly length: number
}
const NAME: Field = { at: 0, length: 100 }
const SIZE: Field = { at: 124, length: 12 }
const SUM: Field = { at: 148, length: 8 }
const TYPE: Field = { at: 156, length: 1 }
const LINK: Field = { at: 157, length: 100 }
const MAGIC: Field = { at: 257, length: 5 }
const PREFIX: Field = { at: 345, length: 155 }
const LONG_PREFIX_AT = 475

function text(header: Buffer, { at, length }: Field): string {
  return textIn(header.subarray(at, at + length))
}

/** node-tar ends a text at its first NUL, but goes on with what stands after a line break behind that. */
function textIn(field: Buffer): string {
  const end = field.indexOf(0)
  if (end >= 0 && /[\n\r\u2028\u2029]/.test(field.subarray(end).toString('utf8'))) throw damaged()
  return field.subarray(0, end < 0 ? field.length : end).toString('utf8')
}

/** Octal digits, or nothing, which is 0. */
function numberIn(field: Buffer): number {
  const written = /^ *([0-7]*)[ \0]*$/.exec(field.toString('latin1'))?.[1]
  const found = Number.parseInt(written || '0', 8)
  if (written === undefined || !Number.isSafeInteger(found)) throw damaged()
  return found
}

/** The sum of all bytes, those of the sum itself counted as spaces. node-tar reads on behind a sum without an end. */
function checkSum(header: Buffer): void {
  const field = header.subarray(SUM.at, SUM.at + SUM.length)
  const own = field.reduce((sum, byte) => sum + byte, 0)
  const all = header.reduce((sum, byte) => sum + byte, 0) - own + SUM.length * 32
  if (numberIn(field) !== all || !/[ \0]$/.test(field.toString('latin1'))) throw damaged()
}
