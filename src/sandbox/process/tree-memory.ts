/**
 * Memory of a process tree: its PSS (shared pages are divided among their users), its page tables, the files in memory
 * that only it sees, the bytes in its TCP sockets, its watches, and what its many pipes and socket pairs may hold. Reads /proc only.
 */
import { readlinkSync } from 'node:fs'
import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { childrenOf } from './process-tree.ts'
import { watchBytes } from './watch-bytes.ts'

/** An inode of a tmpfs with its name, which its size does not count. */
const INODE_BYTES = 1024
const PAGE_BYTES = 4096
/** Below this, counting the queues of each socket is not worth its time; it is the sum over the whole machine. */
const FEW_SOCKET_BYTES = 32 * 2 ** 20
/**
 * The Linux kernel shows how full neither a pipe nor a Unix socket is, so more of them than a server uses count as if they
 * were full: a socket by its send buffer, a descriptor by one page of a pipe (two ends, and two pages once a user has many).
 */
const FEW_UNIX_SOCKETS = 128
const UNIX_SOCKET_BYTES = 212_992
const FEW_DESCRIPTORS = 2_048

/** In bytes; undefined when no process of the tree can be read. */
export async function treeMemory(rootPid: number): Promise<number | undefined> {
  const tree = treeOf(rootPid)
  const sizes = await Promise.all(tree.map(sizeOf))
  const known = sizes.filter((size) => size !== undefined)
  if (known.length === 0) return undefined
  const own = known.reduce((sum, size) => sum + size.own, 0)
  const shared = known.reduce((sum, size) => sum + size.shared, 0)
  // A mapped file of a tmpfs is in both, and must not count twice.
  const files = Math.max(shared, await scratchBytes(rootPid))
  const sockets = [socketBytes(rootPid), unixBytes(rootPid)]
  const buffers = [...sockets, descriptorBytes(tree), watchBytes(tree)]
  return (await Promise.all(buffers)).reduce((sum, bytes) => sum + bytes, own + files)
}

/** Of the sandbox's own network, so these are its own sockets; 0 for a process in the network of the machine. */
async function unixBytes(pid: number): Promise<number> {
  if (!hasOwn(pid, 'net')) return 0
  const count = (await read(`${pid}/net/unix`)).split('\n').length - 2 // a heading, and the end of the last line
  return Math.max(0, count - FEW_UNIX_SOCKETS) * UNIX_SOCKET_BYTES
}

async function descriptorBytes(pids: readonly number[]): Promise<number> {
  const counts = await Promise.all(pids.map(descriptorsOf))
  const count = counts.reduce((sum, one) => sum + one, 0)
  return Math.max(0, count - FEW_DESCRIPTORS) * PAGE_BYTES
}

/** The size of the folder since Linux 6.2; before that, its entries are counted. */
async function descriptorsOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`
  const known = await stat(folder).then(
    ({ size }) => size,
    () => 0,
  )
  return known || (await readdir(folder).catch(() => [])).length
}

function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)]
}

interface Size {
  readonly own: number
  readonly shared: number
}

async function sizeOf(pid: number): Promise<Size | undefined> {
  const [rollup, status] = await Promise.all([read(`${pid}/smaps_rollup`), read(`${pid}/status`)])
  const kilobytes = (text: string, name: string): number | undefined => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
    return found === undefined ? undefined : Number(found) * 1024
  }
  const all = kilobytes(rollup, 'Pss')
  if (all === undefined) return undefined
  const shared = kilobytes(rollup, 'Pss_Shmem') ?? 0
  return { own: all - shared + (kilobytes(status, 'VmPTE') ?? 0), shared }
}

/** Bytes in the tmpfs mounts of a sandbox; 0 for a process without a mount namespace of its own. */
async function scratchBytes(pid: number): Promise<number> {
  if (!hasOwn(pid, 'mnt')) return 0
  const lines = (await read(`${pid}/mountinfo`))
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

/** Bytes that wait in TCP sockets of the sandbox's own network; 0 for a process in the network of the machine. */
async function socketBytes(pid: number): Promise<number> {
  if (!hasOwn(pid, 'net')) return 0
  const pages = /^TCP: .* mem (\d+)$/m.exec(await read(`${pid}/net/sockstat`))?.[1]
  if (Number(pages ?? 0) * PAGE_BYTES < FEW_SOCKET_BYTES) return 0
  const tables = await Promise.all([read(`${pid}/net/tcp`), read(`${pid}/net/tcp6`)])
  let bytes = 0
  for (const [, sent, received] of tables
    .join('\n')
    .matchAll(/ ([0-9A-F]{8}):([0-9A-F]{8}) \d\d:/g)) {
    bytes += Number.parseInt(sent ?? '0', 16) + Number.parseInt(received ?? '0', 16)
  }
  return bytes
}

function hasOwn(pid: number, namespace: 'mnt' | 'net'): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/ns/${namespace}`) !== readlinkSync(`/proc/self/ns/${namespace}`)
    )
  } catch {
    return false
  }
}

async function read(name: string): Promise<string> {
  return await readFile(`/proc/${name}`, 'utf8').catch(() => '')
}
