/**
 * Bytes that wait in the sockets of a sandbox, by the tables of its own network, which hold no others; 0 for a process in the
 * network of the machine. Reads /proc only.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const PAGE_BYTES = 4096
/** Below this, counting the queues of each socket is not worth its time; it is the sum over the whole machine. */
const FEW_SOCKET_BYTES = 32 * 2 ** 20
/** The Linux kernel does not show how full a Unix socket is, so more than a server uses count as if they were full. */
const FEW_UNIX_SOCKETS = 128
const UNIX_SOCKET_BYTES = 212_992

/** TCP and UDP. */
export async function socketBytes(pid: number): Promise<number> {
  if (!hasOwn(pid, 'net')) return 0
  let pages = 0
  for (const [, some] of (await readProc(`${pid}/net/sockstat`)).matchAll(
    /^(?:TCP|UDP): .* mem (\d+)$/gm,
  )) {
    pages += Number(some)
  }
  if (pages * PAGE_BYTES < FEW_SOCKET_BYTES) return 0
  const tables = await Promise.all(
    ['tcp', 'tcp6', 'udp', 'udp6'].map((name) => readProc(`${pid}/net/${name}`)),
  )
  let bytes = 0
  for (const [, sent, received] of tables
    .join('\n')
    .matchAll(/ ([0-9A-F]{8}):([0-9A-F]{8}) \d\d:/g)) {
    bytes += Number.parseInt(sent ?? '0', 16) + Number.parseInt(received ?? '0', 16)
  }
  return bytes
}

export async function unixBytes(pid: number): Promise<number> {
  if (!hasOwn(pid, 'net')) return 0
  const count = (await readProc(`${pid}/net/unix`)).split('\n').length - 2 // a heading, and the end of the last line
  return Math.max(0, count - FEW_UNIX_SOCKETS) * UNIX_SOCKET_BYTES
}

/**
 * Answers about routing tables that nobody has read. No cgroup counts them, so this is asked for every server, and in one turn:
 * the table of a server has no lines, or one.
 */
export function netlinkBytes(pid: number): number {
  if (!hasOwn(pid, 'net')) return 0
  try {
    const [, ...lines] = readFileSync(`/proc/${pid}/net/netlink`, 'utf8').split('\n')
    return lines.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[4] ?? 0), 0)
  } catch {
    return 0 // the process has gone
  }
}

export function hasOwn(pid: number, namespace: 'mnt' | 'net'): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/ns/${namespace}`) !== readlinkSync(`/proc/self/ns/${namespace}`)
    )
  } catch {
    return false
  }
}

export async function readProc(name: string): Promise<string> {
  return await readFile(`/proc/${name}`, 'utf8').catch(() => '')
}
