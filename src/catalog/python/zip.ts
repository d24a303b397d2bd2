/**
 * Reads a zip archive that may be hostile. Only its central directory counts; a local header that differs, an overlap, a
 * second entry of the same name, encryption, zip64 and links make it unusable. Sizes are bounded before anything is
 * inflated. Pure.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import { Unfit } from '../install/unfit.ts'

export interface ZipEntry {
  /** Relative, with `/`; never leads out of its folder. A folder ends in `/`. */
  readonly name: string
  readonly size: number
  readonly isExecutable: boolean
}

export interface Zip {
  readonly entries: readonly ZipEntry[]
  /** Throws `Unfit` if its size or checksum is not the announced one. */
  read(entry: ZipEntry): Buffer
}

export interface ZipLimits {
  readonly entries: number
  /** Of all files together, unpacked. */
  readonly bytes: number
}

interface Located extends ZipEntry {
  readonly method: number
  readonly crc: number
  readonly compressed: number
  readonly header: number
}

const END = 0x06054b50
const END_BYTES = 22
const CENTRAL = 0x02014b50
const CENTRAL_BYTES = 46
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 0x2041
const TYPE = 0o170000
const TYPES = new Set([0, 0o100000, 0o040000]) // unset, file, folder
const MADE_ON_UNIX = 3

export function readZip(bytes: Buffer, limits: ZipLimits): Zip {
  const located = readDirectory(bytes, limits)
  const known = new Map<ZipEntry, Located>(located.map((entry) => [entry, entry]))
  return {
    entries: located,
    read(entry) {
      const found = known.get(entry)
      if (!found) throw damaged()
      return inflate(bytes, found)
    },
  }
}

function damaged(): Unfit {
  return new Unfit('its archive is damaged')
}

function readDirectory(bytes: Buffer, limits: ZipLimits): readonly Located[] {
  const end = findEnd(bytes)
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  const isPlain =
    bytes.readUInt32LE(end + 4) === 0 && // one disk
    bytes.readUInt16LE(end + 8) === count &&
    at + bytes.readUInt32LE(end + 12) === end // no zip64 record, nothing hidden between
  if (!isPlain) throw damaged()
  if (count > limits.entries) throw new Unfit(`it has more than ${limits.entries} files`)
  const entries: Located[] = []
  for (let number = 0; number < count; number += 1) {
    if (at + CENTRAL_BYTES > end || bytes.readUInt32LE(at) !== CENTRAL) throw damaged()
    entries.push(readEntry(bytes, at))
    at += CENTRAL_BYTES + variableBytes(bytes, at)
  }
  if (at !== end) throw damaged()
  checkTogether(bytes, entries, limits)
  return entries
}

/** Name, extra field and comment of an entry of the central directory. */
function variableBytes(bytes: Buffer, at: number): number {
  return bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
}

/** Without a comment: an archive with one could end in two places. */
function findEnd(bytes: Buffer): number {
  const end = bytes.length - END_BYTES
  if (end < 0 || bytes.readUInt32LE(end) !== END || bytes.readUInt16LE(end + 20) !== 0) {
    throw damaged()
  }
  return end
}

function readEntry(bytes: Buffer, at: number): Located {
  const method = bytes.readUInt16LE(at + 10)
  const nameBytes = bytes.readUInt16LE(at + 28)
  const isUnix = bytes.readUInt8(at + 5) === MADE_ON_UNIX
  const mode = isUnix ? bytes.readUInt32LE(at + 38) >>> 16 : 0
  const name = readName(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes))
  if (bytes.readUInt16LE(at + 8) & ENCRYPTED) throw new Unfit('its archive is encrypted')
  if (method !== STORED && method !== DEFLATED) throw damaged()
  if (!TYPES.has(mode & TYPE)) {
    throw new Unfit(`${JSON.stringify(name)} in its archive is neither a file nor a folder`)
  }
  return {
    name,
    method,
    crc: bytes.readUInt32LE(at + 16),
    compressed: bytes.readUInt32LE(at + 20),
    size: bytes.readUInt32LE(at + 24),
    header: bytes.readUInt32LE(at + 42),
    isExecutable: (mode & 0o100) !== 0,
  }
}

const LONGEST_NAME = 500
/** In bytes: file systems take 255. */
const LONGEST_PART = 250

function readName(bytes: Buffer): string {
  const name = bytes.toString('utf8')
  const shown = JSON.stringify(name.slice(0, 80))
  if (!Buffer.from(name).equals(bytes)) throw new Unfit('a file name in its archive is not UTF-8')
  const parts = name.replace(/\/$/, '').split('/')
  const isOdd = (part: string): boolean =>
    part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > LONGEST_PART
  const hasControls = /[\\\p{Cc}\p{Cf}]/u.test(name)
  if (name.length > LONGEST_NAME || hasControls || /^[A-Za-z]:/.test(name) || parts.some(isOdd)) {
    throw new Unfit(`${shown} in its archive is no plain file name`)
  }
  return name
}

/** Distinct names, none of which is both a file and a folder; and places in the archive that do not overlap. */
function checkTogether(bytes: Buffer, entries: readonly Located[], limits: ZipLimits): void {
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  if (total > limits.bytes) {
    throw new Unfit(`it is larger than ${Math.floor(limits.bytes / 2 ** 20)} MB when unpacked`)
  }
  checkNames(entries.map(({ name }) => name))
  let end = 0
  for (const entry of [...entries].sort((a, b) => a.header - b.header)) {
    if (entry.header < end) throw damaged()
    end = dataStart(bytes, entry) + entry.compressed
    if (end > bytes.length) throw damaged()
  }
}

function checkNames(names: readonly string[]): void {
  const paths = new Set<string>()
  for (const name of names) {
    const path = name.replace(/\/$/, '')
    if (paths.has(path)) throw new Unfit(`its archive has ${JSON.stringify(path)} twice`)
    paths.add(path)
  }
  const files = new Set(names.filter((name) => !name.endsWith('/')))
  for (const name of names) {
    const clash = foldersOf(name).find((folder) => files.has(folder))
    if (clash !== undefined) throw new Unfit(`${JSON.stringify(clash)} is a file and a folder`)
  }
}

/** `a/b` and `a` for `a/b/c`. */
function foldersOf(name: string): readonly string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** The local header must name the same file: other programs believe it instead of the central directory. */
function dataStart(bytes: Buffer, { name, header }: Located): number {
  const start = header + LOCAL_BYTES
  if (start > bytes.length || bytes.readUInt32LE(header) !== LOCAL) throw damaged()
  const nameBytes = bytes.readUInt16LE(header + 26)
  if (!bytes.subarray(start, start + nameBytes).equals(Buffer.from(name))) throw damaged()
  return start + nameBytes + bytes.readUInt16LE(header + 28)
}

function inflate(bytes: Buffer, entry: Located): Buffer {
  const { method, compressed, size, crc, name } = entry
  const start = dataStart(bytes, entry)
  const packed = bytes.subarray(start, start + compressed)
  const content = method === STORED ? packed : inflateAtMost(packed, size)
  if (content.length !== size || crc32(content) !== crc) {
    throw new Unfit(`${JSON.stringify(name)} in its archive is damaged`)
  }
  return content
}

/** More than the announced size is never produced. */
function inflateAtMost(packed: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
  } catch (cause) {
    throw new Unfit('its archive is damaged', { cause })
  }
}
