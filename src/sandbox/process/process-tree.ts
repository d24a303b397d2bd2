/** A started process with everything it started in turn: to count it, to ask it to end, and to end it. */
import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface ProcessTree {
  /** The process that stands for the tree, in the host's numbers. */
  readonly rootPid: number
  /** Asks the server to end; it may decline. */
  terminate(): Promise<void>
  /** Ends everything at once. */
  kill(): void
  /** Settles when no process of it is left; call it after the first has ended. */
  gone(): Promise<void>
}

/** A process namespace: its first process takes everything in it along, whatever it forked or detached. */
export function namespaceTree(bubblewrap: ChildProcess, initPid: number): ProcessTree {
  return {
    rootPid: initPid,
    // The first process of a namespace ignores signals from outside but the hardest, so the server itself is asked.
    async terminate() {
      for (const pid of await childrenOf(initPid)) signal(pid, 'SIGTERM')
    },
    kill() {
      if (bubblewrap.exitCode !== null || bubblewrap.signalCode !== null) return
      signal(initPid, 'SIGKILL')
      bubblewrap.kill('SIGKILL')
    },
    gone: () => until(() => hasEnded(initPid)),
  }
}

/** A process group, for a process that the owner wants outside a sandbox. Whoever leaves the group escapes it. */
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
      await until(async () => !signal(-pid, 0))
    },
  }
}

/** The direct children of a process; none when it is gone. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

/**
 * Waits until the first process of a namespace ends with the one that made it. That cannot be seen, but bubblewrap puts
 * its filter on the process right after it has tied it, and the filter can: there is one more than Cordon itself has.
 */
export async function untilTied(initPid: number): Promise<void> {
  const own = await filtersOf('self')
  await until(async () => {
    const filters = await filtersOf(initPid)
    return own === undefined || filters === undefined || filters > own
  })
}

/** Undefined when the process is gone, or on a machine that does not count them. */
async function filtersOf(pid: number | 'self'): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const count = /^Seccomp_filters:\s*(\d+)$/m.exec(status)?.[1]
  return count === undefined ? undefined : Number(count)
}

const GIVE_UP_MS = 2_000

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS
  while (!(await holds()) && performance.now() < deadline) await delay(2)
}

/** A process that ended counts as gone, whether or not its new parent has taken note. */
async function hasEnded(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0]
  return state === undefined || state === 'Z' || state === 'X'
}

/** False when there is no such process. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
