/**
 * The processes of one gateway, found by a variable in their environment: some start daemons that outlive the program
 * that was called. The servers behind it are not among them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const VARIABLE = 'CORDON_BENCH_GATEWAY'
const NS_PER_MS = 1e6

/** Every program that is measured gets it, and hands it on to the processes that it starts. */
export function markFor(name: string): Readonly<Record<string, string>> {
  return { [VARIABLE]: `${process.pid}-${name}` }
}

function markOf(name: string): string {
  return `${process.pid}-${name}\0`
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // it has ended
  }
}

/** `mark` is what the variable begins with. */
function marked(mark: string): readonly number[] {
  const wanted = `${VARIABLE}=${mark}`
  const all = readdirSync('/proc').map(Number)
  return all.filter((pid) => pid > 0 && read(pid, 'environ').includes(wanted))
}

/** A server runs the script itself; a gateway may name it further behind. */
function isServer(pid: number): boolean {
  return read(pid, 'cmdline').split('\0')[1]?.endsWith('echo-server.mjs') === true
}

/** The gateway's own, without the servers. */
export function gatewayPids(name: string): readonly number[] {
  return marked(markOf(name)).filter((pid) => !isServer(pid))
}

/** Processor time of all of them so far, from the scheduler: the ticks of `stat` are too coarse for a few hundred calls. */
export function cpuMs(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) =>
    threadsOf(pid)
      .map((id) => `task/${id}/schedstat`)
      .map((file) => read(pid, file)),
  )
  return threads.reduce((sum, stat) => sum + Number(stat.split(' ')[0] ?? 0), 0) / NS_PER_MS
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // it has ended
  }
}

export function residentOf(pid: number): number {
  return residentMiB([pid])
}

export function residentMiB(pids: readonly number[]): number {
  const kib = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0))
  return kib.reduce((sum, one) => sum + one, 0) / 1024
}

/** Ends one gateway with its servers, and waits until they are gone. */
export async function endAll(name: string): Promise<void> {
  await endMarked(markOf(name))
}

export async function endMarked(mark: string): Promise<void> {
  for (let pids = marked(mark); pids.length > 0; pids = marked(mark)) {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // it has ended by itself
      }
    }
    await pause(20)
  }
}
