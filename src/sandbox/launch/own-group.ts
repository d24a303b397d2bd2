/**
 * Sees to it that Cordon can make cgroups where systemd rules the tree (cgroup v2). There a group with processes in it passes no
 * limits on to groups below it, and the group of a login belongs to root.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CGROUP_MOUNT, findCgroupParent, isWritable, pidsIn, readText } from './cgroup.ts'
import { runCommand } from './run-command.ts'

const MOVED_WITHIN_MS = 2_000
/** A manager that may not share the processor makes every start wait this long. */
const SHARED_WITHIN_MS = 500
const LOOK_EVERY_MS = 5
const BELOW_MANAGER = /\/user@\d+\.service\//
const CONTROL = 'cgroup.subtree_control'
const CONTROLLERS = ['memory', 'pids', 'cpu']

export interface Manager {
  /** The socket of its bus. */
  readonly bus: string
  /** Whether it goes on when its user has logged out. */
  readonly lingers: boolean
}

/** Changes nothing where groups can be made already, and nothing where none can be had: `findCgroupParent` tells. */
export async function takeOwnGroup(): Promise<void> {
  if (findCgroupParent()?.sharesProcessor) return
  const own = ownGroup()
  if (own === undefined) return
  const manager = findManager()
  const folder = path.join(CGROUP_MOUNT, own)
  if (manager && mayMove(own, manager)) await moveToScope(manager)
  else if (isHandedOver(folder)) divideGroup(folder)
}

/** Undefined on cgroup v1, where another tree has the controller of memory. */
export function ownGroup(text: string = readText('/proc/self/cgroup') ?? ''): string | undefined {
  const lines = text.split('\n').map((line) => line.split(':'))
  if (lines.some(([, controllers = '']) => controllers.split(',').includes('memory')))
    return undefined
  return lines.find(([hierarchy]) => hierarchy === '0')?.[2]
}

/** The manager of the services of Cordon's user, `user@<uid>.service`. Root has none: its groups lie in those of the machine. */
function findManager(): Manager | undefined {
  const uid = process.getuid?.() ?? 0
  const bus = `/run/user/${uid}/bus`
  return uid === 0 || !existsSync(bus) ? undefined : { bus, lingers: lingers() }
}

function lingers(): boolean {
  try {
    return existsSync(path.join('/var/lib/systemd/linger', userInfo().username))
  } catch {
    return false // no account has this number
  }
}

/**
 * The manager ends with its user's last login, and everything in its part of the tree with it, unless it lingers. A program in
 * the scope of a login may stay longer, so it is moved only to a manager that lingers: nobody's Cordon ends for its limits.
 * Out of a service none is moved: systemd takes a main process that leaves its group for one that has ended.
 */
export function mayMove(own: string, manager: Manager): boolean {
  return own.endsWith('.scope') && (BELOW_MANAGER.test(own) || manager.lingers)
}

/** The manager moves this process; `Delegate` makes it pass memory and processor time on in the slice of the scope. */
async function moveToScope(manager: Manager): Promise<void> {
  const before = ownGroup()
  const name = `cordon-${process.pid}-${randomBytes(4).toString('hex')}.scope`
  const properties = [
    ['Description', 's', 'Cordon and its servers'],
    ['PIDs', 'au', '1', String(process.pid)],
    ['Delegate', 'b', 'true'],
    ['CollectMode', 's', 'inactive-or-failed'],
  ]
  const { exitCode } = await runCommand(
    'busctl',
    [
      [`--address=unix:path=${manager.bus}`, 'call', 'org.freedesktop.systemd1'],
      ['/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager', 'StartTransientUnit'],
      ['ssa(sv)a(sa(sv))', name, 'fail', String(properties.length), ...properties.flat(), '0'],
    ].flat(),
    AbortSignal.timeout(MOVED_WITHIN_MS),
  )
  // The call returned when the move was planned; processor time is passed on a moment after it.
  const isMoved = exitCode === 0 && (await within(MOVED_WITHIN_MS, () => ownGroup() !== before))
  if (isMoved) await within(SHARED_WITHIN_MS, () => findCgroupParent()?.sharesProcessor === true)
}

async function within(ms: number, isSo: () => boolean): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!isSo()) {
    if (performance.now() > deadline) return false
    await delay(LOOK_EVERY_MS)
  }
  return true
}

/**
 * A service with `Delegate=yes` has a group that systemd hands to its user. A user can write no other group that lies outside the
 * part of their manager, where every group is theirs to write and not theirs to divide.
 */
function isHandedOver(group: string): boolean {
  const isMine = process.getuid?.() !== 0 && isWritable(path.join(group, CONTROL))
  return isMine && !BELOW_MANAGER.test(group)
}

/** Its processes go into a group below it: only then may it pass limits on. */
export function divideGroup(group: string): void {
  try {
    const inner = path.join(group, 'kernel')
    mkdirSync(inner, { recursive: true })
    for (const pid of pidsIn(group)) writeFileSync(path.join(inner, 'cgroup.procs'), String(pid))
    writeFileSync(path.join(group, CONTROL), CONTROLLERS.map((one) => `+${one}`).join(' '))
  } catch {
    // a controller that systemd does not pass on, or a process that came meanwhile: the watchdog limits memory
  }
}
