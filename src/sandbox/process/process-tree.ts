/** A started process with all its descendants: asked to end, killed and waited for as one. */
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Warden } from './warden.ts'

export interface ProcessTree {
  /** The first process of the tree, by its pid on the host. */
  readonly rootPid: number
  /** Sends SIGTERM, which the server may ignore. */
  terminate(): Promise<void>
  /** Sends SIGKILL to the whole tree. */
  kill(): void
  /** Settles when no process of the tree is left, or after 10 s; called once the first process has ended. */
  gone(): Promise<void>
}

/**
 * A pid namespace: when its first process ends, Linux kills all the others in the namespace, detached or not. The end of
 * bubblewrap says nothing about it: a first process that a server has rewritten reports its end and lives on.
 */
export function namespaceTree(
  bubblewrap: ChildProcess,
  initPid: number,
  warden: Pick<Warden, 'forget'>,
): ProcessTree {
  const born = birthOf(initPid)
  const isGone = (): boolean => hasEnded(initPid) || birthOf(initPid) !== born
  const kill = (): void => {
    if (!isGone()) signal(initPid, 'SIGKILL') // the time of its birth tells it from a later process of this number
    if (bubblewrap.exitCode === null && bubblewrap.signalCode === null) bubblewrap.kill('SIGKILL')
  }
  return {
    rootPid: initPid,
    // The first process of a pid namespace ignores SIGTERM from outside, so its child, the server, gets the signal.
    async terminate() {
      for (const pid of childrenOf(initPid)) signal(pid, 'SIGTERM')
    },
    kill,
    async gone() {
      await until(isGone, REAPED_MS)
      kill()
      await until(isGone)
      if (isGone()) warden.forget(initPid) // else it ends with Cordon
    },
  }
}

/** A process group, for a server that its owner runs without a sandbox. A process that leaves the group escapes. */
export function groupTree(child: ChildProcess, pid: number): ProcessTree {
  const endAll = () => signal(-pid, 'SIGKILL')
  return {
    rootPid: pid,
    async terminate() {
      if (child.exitCode === null) signal(-pid, 'SIGTERM')
    },
    kill: endAll,
    async gone() {
      endAll()
      await until(() => !signal(-pid, 0))
    },
  }
}

/** The direct children of a process, of all its threads; empty when the process is gone. */
export function childrenOf(pid: number): readonly number[] {
  return threadsOf(pid)
    .flatMap((thread) => readProc(`${pid}/task/${thread}/children`).split(' '))
    .filter(Boolean)
    .map(Number)
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/**
 * Waits until the first process of a namespace is bound to end with bubblewrap (`--die-with-parent`). The binding
 * cannot be observed, but right after it bubblewrap loads the seccomp filter, and /proc counts those: one more than
 * Cordon has.
 */
export async function untilTied(initPid: number): Promise<void> {
  const own = filtersOf('self')
  await until(() => {
    const filters = filtersOf(initPid)
    return own === undefined || filters === undefined || filters > own
  })
}

/** The number of seccomp filters; undefined when the process is gone, or Linux does not count them. */
function filtersOf(pid: number | 'self'): number | undefined {
  const count = /^Seccomp_filters:\s*(\d+)$/m.exec(readProc(`${pid}/status`))?.[1]
  return count === undefined ? undefined : Number(count)
}

const GIVE_UP_MS = 10_000

/** After bubblewrap, its first process ends within a millisecond or not at all. */
const REAPED_MS = 20

async function until(holds: () => boolean, withinMs = GIVE_UP_MS): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!holds() && performance.now() < deadline) await delay(2)
}

/** In clock ticks since the machine started; undefined when the process is gone. */
function birthOf(pid: number): string | undefined {
  const stat = readProc(`${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

/**
 * A zombie counts as ended, whether or not its new parent has reaped it. A process whose first thread alone has ended reads
 * as a zombie, too, and lives on in its other threads.
 */
function hasEnded(pid: number): boolean {
  const stat = readProc(`${pid}/stat`)
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0]
  if (state === undefined || state === 'X') return true
  return state === 'Z' && threadsOf(pid).every((thread) => thread === String(pid))
}

/**
 * Empty when the process is gone. Synchronous: the kernel answers from memory in microseconds, and a launch would wait
 * far longer for four turns of the thread pool.
 */
function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** False when there is no such process. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
