/**
 * The processes of one gateway, found by a variable in their environment: some start daemons that outlive the program
 * that was called. The servers behind it are not among them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const VARIABLE = 'CORDON_BENCH_GATEWAY'
const MS_PER_TICK = 10

export function markFor(name: string): Readonly<Record<string, string>> {
  return { [VARIABLE]: `${process.pid}-${name}` }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // it has ended
  }
}

function marked(name: string): readonly number[] {
  const mark = `${VARIABLE}=${process.pid}-${name}\0`
  const all = readdirSync('/proc').map(Number)
  return all.filter((pid) => pid > 0 && read(pid, 'environ').includes(mark))
}

/** A server runs the script itself; a gateway may name it further behind. */
function isServer(pid: number): boolean {
  return read(pid, 'cmdline').split('\0')[1]?.endsWith('echo-server.mjs') === true
}

/** The gateway's own, without the servers. */
export function gatewayPids(name: string): readonly number[] {
  return marked(name).filter((pid) => !isServer(pid))
}

/** Processor time of all of them so far. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = read(pid, 'stat').split(') ')[1]?.split(' ') ?? []
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * MS_PER_TICK
  }, 0)
}

export function residentOf(pid: number): number {
  return residentMiB([pid])
}

export function residentMiB(pids: readonly number[]): number {
  const kib = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0))
  return kib.reduce((sum, one) => sum + one, 0) / 1024
}

/** Ends all of them, servers too, and waits until they are gone. */
export async function endAll(name: string): Promise<void> {
  for (let pids = marked(name); pids.length > 0; pids = marked(name)) {
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
