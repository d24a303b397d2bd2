/**
 * The files of a folder, each with its hash and its file facts (lstat). Files and folders only: a link or any other
 * kind makes the folder unusable, so nothing in it leads elsewhere. The root file system of an image is full of links,
 * which count as their text: they are followed inside its sandbox only, where that root is `/`.
 */
import { createHash, hash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, lchown, lstat, open, readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { Unfit } from './unfit.ts'

const MAY_HOLD_LINKS = 'rootfs/'

export interface TreeEntry {
  /** Relative, with `/`. */
  readonly path: string
  readonly mode: number
  readonly size: number
  /** Hash of the content; empty for a folder. */
  readonly sha512: string
  /** File facts. Every change of a file or its facts updates `ctimeMs`, which no program can set. */
  readonly ctimeMs: number
  readonly mtimeMs: number
  readonly inode: number
}

/** Files read at once; libuv has four threads for files. */
const AT_ONCE = 8
/** A larger file is hashed piece by piece: eight of half a gigabyte would be four in memory. */
const PIECE = 2 ** 20
const FOLDER_MODE = 0o755
const FILE_MODE = 0o644
const PROGRAM_MODE = 0o755
const PERMISSIONS = 0o7777
const EXECUTABLE = 0o100

/** Makes every file Cordon's own, readable for servers and writable for no other user. */
export async function sealTree(folder: string, names: readonly string[]): Promise<void> {
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  await chmod(folder, FOLDER_MODE)
  for (const one of await listTree(folder, names)) {
    const full = path.join(folder, one)
    const found = await lstat(full)
    const { uid, gid, mode } = found
    if (uid !== owner.uid || gid !== owner.gid) await lchown(full, owner.uid, owner.gid)
    if (found.isSymbolicLink()) continue
    const wanted = modeFor(one, mode)
    if ((mode & PERMISSIONS) !== wanted) await chmod(full, wanted)
  }
}

/** Hashes everything below these names, sorted by path. Throws `Unfit` on anything that is neither file nor folder. */
export async function describeTree(
  folder: string,
  names: readonly string[],
): Promise<readonly TreeEntry[]> {
  const paths = await listTree(folder, names)
  const entries: TreeEntry[] = []
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE)
    entries.push(...(await Promise.all(some.map((one) => describe(folder, one)))))
  }
  return entries
}

async function describe(folder: string, one: string): Promise<TreeEntry> {
  const full = path.join(folder, one)
  const isFolder = one.endsWith('/')
  const found = await lstat(full)
  const sha512 = isFolder ? '' : await hashOf(full, found)
  const { mode, size, ctimeMs, mtimeMs, ino } = found
  const facts = { ctimeMs, mtimeMs, inode: ino }
  return { path: one, mode: mode & PERMISSIONS, size: isFolder ? 0 : size, sha512, ...facts }
}

async function hashOf(full: string, found: Stats): Promise<string> {
  if (found.isSymbolicLink()) return hash('sha512', `link to ${await readlink(full)}`, 'base64')
  if (found.size <= PIECE) return hash('sha512', await readFile(full), 'base64')
  return await hashInPieces(full)
}

async function hashInPieces(full: string): Promise<string> {
  const sum = createHash('sha512')
  const piece = Buffer.alloc(PIECE)
  await using file = await open(full)
  for (let bytes = -1; bytes !== 0; ) {
    bytes = (await file.read(piece, 0, PIECE)).bytesRead
    sum.update(piece.subarray(0, bytes))
  }
  return sum.digest('base64')
}

/** Paths below these names; folders end in `/` and come before their content. */
async function listTree(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const paths: string[] = []
  const waiting = names.map((name) => name)
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const found = await lstat(path.join(folder, one))
    const isLink = found.isSymbolicLink() && one.startsWith(MAY_HOLD_LINKS)
    if (found.isFile() || isLink) paths.push(one)
    else if (found.isDirectory()) {
      paths.push(`${one}/`)
      // One by one: as arguments of a single call, a hundred thousand names overflow the stack.
      for (const name of await readdir(path.join(folder, one))) waiting.push(`${one}/${name}`)
    } else throw new Unfit(`${JSON.stringify(one)} is neither a file nor a folder`)
  }
  return paths.sort()
}

function modeFor(one: string, mode: number): number {
  if (one.endsWith('/')) return FOLDER_MODE
  return mode & EXECUTABLE ? PROGRAM_MODE : FILE_MODE
}
