/**
 * The holder of the home, as written in `run/cordon.lock`, and whether that process still runs. A pid alone is not
 * enough, since pids are reused: start time and boot id identify the process. Only informs: the lock is in `lock.ts`.
 */
import { readFileSync } from 'node:fs'

export interface Holder {
  readonly pid: number
  readonly alive: boolean
}

interface Identity {
  readonly pid: number
  /** In clock ticks since boot; empty on systems without `/proc`. */
  readonly startTime: string
  readonly bootId: string
}

export function describeSelf(): string {
  const self: Identity = {
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    bootId: currentBoot(),
  }
  return `${JSON.stringify(self)}\n`
}

/** Undefined if the file is absent, or empty or garbage after a crash. */
export function readHolder(lockPath: string): Holder | undefined {
  const identity = parseIdentity(readText(lockPath))
  return identity && { pid: identity.pid, alive: isAlive(identity) }
}

function isAlive(identity: Identity): boolean {
  try {
    process.kill(identity.pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return identity.bootId === currentBoot() && identity.startTime === startTimeOf(identity.pid)
}

function parseIdentity(text: string): Identity | undefined {
  try {
    const { pid, startTime, bootId } = JSON.parse(text) as Partial<Record<string, unknown>>
    const known = typeof startTime === 'string' && typeof bootId === 'string'
    if (known && Number.isSafeInteger(pid) && Number(pid) > 0) {
      return { pid: Number(pid), startTime, bootId }
    }
  } catch {
    // Not JSON: left by a crash, so there is no holder to read.
  }
  return undefined
}

/** Field 22 of `/proc/PID/stat` (proc_pid_stat(5)); the name in field 2 may itself hold spaces and brackets. */
function startTimeOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function currentBoot(): string {
  return readText('/proc/sys/kernel/random/boot_id').trim()
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
