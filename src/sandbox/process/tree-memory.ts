/**
 * Memory of a process tree: its PSS (shared pages are divided among their users), its page tables, the files in memory
 * that only it sees, the bytes in its sockets, its watches, and what its many pipes, socket pairs and areas of address space may
 * hold. Reads /proc only.
 */
import { statfs } from 'node:fs/promises'
import { setImmediate as otherWork } from 'node:timers/promises'
import { type ProcessSize, processSize, processSizeNow } from './process-size.ts'
import { childrenOf } from './process-tree.ts'
import { hasOwn, readProc, socketBytes, unixBytes } from './socket-bytes.ts'
import { watchBytes } from './watch-bytes.ts'

/** An inode of a tmpfs with its name, which its size does not count. */
const INODE_BYTES = 1024
const PAGE_BYTES = 4096
/**
 * The Linux kernel shows how full a pipe is not at all, so more descriptors than a server uses count as one page of a pipe each
 * (two ends, and two pages once a user has many). Likewise an area of address space (as many as `mmap` and `mprotect` make), with
 * its links to the processes that this one was forked from.
 */
const FEW_DESCRIPTORS = 2_048
const FEW_AREAS = 16_384
/** How often in one look a process that was gone before it was read is looked for; each time takes a turn of Cordon's thread, and leaves it to others. */
const MOST_TRIES = 20

export interface TreeLook {
  /** Undefined when no process of the tree can be read. */
  readonly bytes: number | undefined
  /** Whether the same processes were there from the listing to the reading. */
  readonly isCalm: boolean
  /** False: some memory could not be read, however often it was tried, or is of a kind that nothing shows. */
  readonly isWhole: boolean
}

/** In bytes; undefined when no process of the tree can be read. */
export async function treeMemory(rootPid: number): Promise<number | undefined> {
  return (await lookAtTree(rootPid)).bytes
}

export async function lookAtTree(rootPid: number): Promise<TreeLook> {
  const tree = treeOf(rootPid)
  const read = await Promise.all(tree.map(async (pid) => [pid, await processSize(pid)] as const))
  const sizes = new Map(read.filter((entry) => entry[1] !== undefined) as [number, ProcessSize][])
  if (sizes.size === 0) return { bytes: undefined, isCalm: false, isWhole: true }
  const again = await lookAgain(rootPid, sizes)
  const isHidden = hasOwn(rootPid, 'mnt') && [...sizes.values()].some(({ hides }) => hides)
  const bytes = (await sumOf(rootPid, sizes)) + again.elsewhere
  return { bytes, isCalm: again.isCalm, isWhole: again.isWhole && !isHidden }
}

interface Again extends Pick<TreeLook, 'isCalm' | 'isWhole'> {
  /** The most bytes that a new process shares with others; a process that hops shares its pages with the dying ones before it. */
  readonly elsewhere: number
}

/**
 * A process that forks and ends, again and again, is never where it was listed, or has just ended there. This reads the new ones in
 * the same turn as it lists them, and drops those that are gone, until all that are listed have been read while they held something:
 * one that has ended may have left a child that this list has not got.
 */
async function lookAgain(rootPid: number, sizes: Map<number, ProcessSize>): Promise<Again> {
  let isCalm = true
  let elsewhere = 0
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const found = readNews(rootPid, sizes)
    isCalm &&= found.isCalm
    elsewhere = Math.max(elsewhere, found.elsewhere)
    if (found.isWhole) return { isCalm, isWhole: true, elsewhere }
    await otherWork()
  }
  return { isCalm: false, isWhole: false, elsewhere }
}

/** In one turn. */
function readNews(rootPid: number, sizes: Map<number, ProcessSize>): Again {
  const present = new Set(treeOf(rootPid))
  const gone = [...sizes.keys()].filter((pid) => !present.has(pid))
  const news = [...present].filter((pid) => !sizes.has(pid))
  for (const pid of gone) sizes.delete(pid)
  const read = news.map((pid) => [pid, processSizeNow(pid)] as const)
  for (const [pid, size] of read) if (size) sizes.set(pid, size)
  return {
    isCalm: gone.length + news.length === 0,
    isWhole: read.every(([, size]) => size !== undefined && size.own > 0),
    elsewhere: Math.max(0, ...read.map(([, size]) => size?.elsewhere ?? 0)),
  }
}

async function sumOf(rootPid: number, sizes: ReadonlyMap<number, ProcessSize>): Promise<number> {
  const total = (one: (size: ProcessSize) => number): number =>
    [...sizes.values()].reduce((sum, size) => sum + one(size), 0)
  // A mapped file of a tmpfs is in both, and must not count twice.
  const files = Math.max(
    total(({ shared }) => shared),
    await scratchBytes(rootPid),
  )
  const beyond = (count: number, few: number): number => Math.max(0, count - few) * PAGE_BYTES
  const [sockets, pairs, watches] = await Promise.all([
    socketBytes(rootPid),
    unixBytes(rootPid),
    watchBytes([...sizes.values()].map(({ task }) => task)),
  ])
  const descriptors = beyond(
    total((size) => size.descriptors),
    FEW_DESCRIPTORS,
  )
  const areas = beyond(
    total((size) => size.areas),
    FEW_AREAS,
  )
  return total(({ own }) => own) + files + sockets + pairs + watches + descriptors + areas
}

function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)]
}

/** Bytes in the tmpfs mounts of a sandbox; 0 for a process without a mount namespace of its own. */
async function scratchBytes(pid: number): Promise<number> {
  if (!hasOwn(pid, 'mnt')) return 0
  const lines = (await readProc(`${pid}/mountinfo`))
    .split('\n')
    .filter((line) => / - tmpfs /.test(line))
  const used = lines.map(async (line) => {
    const point = line.split(' ')[4] ?? ''
    const found = await statfs(`/proc/${pid}/root${point}`).catch(() => undefined)
    if (!found) return 0
    const inodes = Math.max(0, found.files - found.ffree)
    return (found.blocks - found.bfree) * found.bsize + inodes * INODE_BYTES
  })
  return (await Promise.all(used)).reduce((sum, bytes) => sum + bytes, 0)
}
