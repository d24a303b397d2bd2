/**
 * Memory limits that the Linux kernel enforces by cgroup, version 1 or 2. Groups are made below Cordon's own, so a
 * limit on Cordon still holds; their names carry Cordon's pid, so groups that a killed Cordon left are recognised and
 * removed.
 */
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  write,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { MemoryLayer } from '../../kernel/sandbox-port.ts'

export interface CgroupParent {
  readonly layer: 'cgroup1' | 'cgroup2'
  readonly folder: string
  /** Version 1 has a tree for each controller; this is the one for processor time, where it can be written. */
  readonly cpuFolder?: string
  /** Whether the groups made here get a share of the processor of their own. */
  readonly sharesProcessor: boolean
}

export interface Cgroup {
  /** Whether the OOM killer has ended a process of this group. */
  exceeded(): boolean
  remove(): Promise<void>
}

interface Hold {
  readonly cgroup: Cgroup | undefined
  readonly memoryLayer: MemoryLayer
}

const writing = promisify(write)

export const CGROUP_MOUNT = '/sys/fs/cgroup'
const PREFIX = 'cordon-'
const PROCESSES = 'cgroup.procs'
const MOST_PROCESSES = 256
const MOST_ROUNDS = 10

/** Cordon's own cgroup, if groups with a memory limit can be made below it; else undefined. */
export function findCgroupParent(
  own: string = readText('/proc/self/cgroup') ?? '',
  mount: string = CGROUP_MOUNT,
): CgroupParent | undefined {
  const lines = own.split('\n')
  return unifiedParent(lines, mount) ?? legacyParent(lines, mount)
}

/**
 * The nearest group above that passes memory limits on to its children. A group with processes of its own passes none
 * (cgroup v2 calls it "no internal processes"), so for a program in a scope or service it is one of the slices that
 * systemd delegates to each user: a limit on that slice still holds for Cordon and its servers together.
 */
function unifiedParent(own: readonly string[], mount: string): CgroupParent | undefined {
  const line = own.find((entry) => entry.startsWith('0::'))
  if (line === undefined) return undefined
  let folder = path.join(mount, line.slice('0::'.length))
  while (folder !== mount && path.dirname(folder) !== folder) {
    const shared = readText(path.join(folder, 'cgroup.subtree_control'))?.trim().split(' ')
    // Linux moves a process only for a user who may write `cgroup.procs` of the common ancestor.
    const isOwn = isWritable(folder) && isWritable(path.join(folder, PROCESSES))
    if (shared?.includes('memory') && isOwn) {
      return { layer: 'cgroup2', folder, sharesProcessor: shared.includes('cpu') }
    }
    folder = path.dirname(folder)
  }
  return undefined
}

function legacyParent(own: readonly string[], mount: string): CgroupParent | undefined {
  const line = own.find((entry) => entry.split(':')[1] === 'memory')
  if (line === undefined) return undefined
  const folder = path.join(mount, 'memory', line.split(':')[2] ?? '')
  if (!isWritable(folder)) return undefined
  const cpuFolder = legacyFolder(own, mount, 'cpu')
  if (cpuFolder === undefined) return { layer: 'cgroup1', folder, sharesProcessor: false }
  return { layer: 'cgroup1', folder, sharesProcessor: true, cpuFolder }
}

/** The tree is named after its controllers: `cpu`, or `cpu,cpuacct`. */
function legacyFolder(
  own: readonly string[],
  mount: string,
  controller: string,
): string | undefined {
  const [, controllers = '', group = ''] =
    own.map((line) => line.split(':')).find((parts) => parts[1]?.split(',').includes(controller)) ??
    []
  const folder = path.join(mount, controllers, group)
  return controllers !== '' && isWritable(folder) ? folder : undefined
}

interface NewCgroup extends Cgroup {
  limit(memoryBytes: number): void
  add(pid: number): Promise<void>
  pids(): ReadonlySet<number>
}

function openCgroup(parent: CgroupParent): NewCgroup {
  const name = `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`
  const folder = path.join(parent.folder, name)
  mkdirSync(folder)
  const set = (file: string, value: number) => writeFileSync(path.join(folder, file), String(value))
  const trySet = (file: string, value: number) => {
    try {
      set(file, value)
    } catch {
      // swap, sockets or pids are not accounted on this machine; memory is, or `set` would have thrown
    }
  }
  const cpu = parent.cpuFolder && openCpuGroup(path.join(parent.cpuFolder, name))
  let sharing: Promise<void> = Promise.resolve()
  const events = parent.layer === 'cgroup2' ? 'memory.events' : 'memory.oom_control'
  return {
    limit(memoryBytes) {
      if (parent.layer === 'cgroup2') {
        set('memory.max', memoryBytes)
        trySet('memory.swap.max', 0)
        trySet('pids.max', MOST_PROCESSES)
      } else {
        set('memory.limit_in_bytes', memoryBytes)
        trySet('memory.memsw.limit_in_bytes', memoryBytes)
        trySet('memory.kmem.tcp.limit_in_bytes', memoryBytes)
      }
    },
    async add(pid) {
      await addProcess(path.join(folder, PROCESSES), pid)
      // Not awaited: moving takes milliseconds, and no promise rests on a fair share in the first of them.
      if (cpu) sharing = sharing.then(() => follow(folder, cpu))
    },
    pids: () => pidsIn(folder),
    exceeded: () => /^oom_kill [1-9]/m.test(readText(path.join(folder, events)) ?? ''),
    async remove() {
      await sharing
      await Promise.all([removeSoon(folder), cpu && removeSoon(cpu)])
    },
  }
}

/** Moves the processes of a group into a second one, including children that they start meanwhile. */
async function follow(from: string, to: string): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const present = pidsIn(to)
    const missing = [...pidsIn(from)].filter((pid) => !present.has(pid))
    if (missing.length === 0) return
    for (const pid of missing) {
      await addProcess(path.join(to, PROCESSES), pid).catch(() => undefined)
    }
  }
}

export function pidsIn(folder: string): ReadonlySet<number> {
  const lines = readText(path.join(folder, PROCESSES))?.split('\n') ?? []
  return new Set(lines.filter(Boolean).map(Number))
}

/**
 * All processes of a server share one part of the processor, however many sessions they make: by default a group weighs as
 * much as one session does (autogroup). In version 2 the group for memory is the one for processor time as well.
 */
function openCpuGroup(folder: string): string | undefined {
  try {
    mkdirSync(folder)
    return folder
  } catch {
    tryRemove(folder)
    return undefined
  }
}

/** Resolves as well if the process has ended: then there is nothing to limit. */
async function addProcess(file: string, pid: number): Promise<void> {
  const descriptor = openSync(file, 'w')
  try {
    await writing(descriptor, String(pid))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  } finally {
    closeSync(descriptor)
  }
}

/** A cgroup with a memory limit, made before the processes that it holds. */
export interface Holder {
  /**
   * Begins to move a process in. Linux waits for a grace period of all processors first, which takes milliseconds, so a
   * launch asks as soon as it knows the pid. Processes that this one starts afterwards are in the group as well.
   */
  join(pid: number): void
  /** Resolves once all of `pids` are in. If one cannot be moved, rlimits and a watchdog limit the memory. */
  hold(pids: readonly number[]): Promise<Hold>
  /** For a launch that failed. */
  discard(): void
}

const NO_CGROUP: Hold = { cgroup: undefined, memoryLayer: 'rlimit+watchdog' }

/** Without a parent, or if no group can be made below it, the processes are held by rlimits and a watchdog. */
export function openHolder(parent: CgroupParent | undefined, memoryBytes: number): Holder {
  const cgroup = parent && limitedCgroup(parent, memoryBytes)
  if (!cgroup) {
    return { join: () => undefined, hold: async () => NO_CGROUP, discard: () => undefined }
  }
  let joining: Promise<unknown> = Promise.resolve()
  const discard = (): void => void cgroup.remove()
  return {
    join(pid) {
      joining = cgroup.add(pid)
      joining.catch(() => undefined) // awaited in `hold`
    },
    async hold(pids) {
      try {
        await joining
        const present = cgroup.pids()
        for (const pid of pids) if (!present.has(pid)) await cgroup.add(pid)
        return { cgroup, memoryLayer: parent.layer }
      } catch {
        discard() // a group without the server limits nothing
        return NO_CGROUP
      }
    },
    discard,
  }
}

function limitedCgroup(parent: CgroupParent, memoryBytes: number): NewCgroup | undefined {
  let cgroup: NewCgroup | undefined
  try {
    cgroup = openCgroup(parent)
    cgroup.limit(memoryBytes)
    return cgroup
  } catch {
    void cgroup?.remove() // a half-configured group limits nothing
    return undefined
  }
}

/** Removes groups of Cordon processes that have ended. Linux refuses to remove a group that still has processes. */
export function sweepCgroups(parent: CgroupParent): void {
  for (const folder of [parent.folder, ...(parent.cpuFolder ? [parent.cpuFolder] : [])]) {
    for (const name of readdirSync(folder)) {
      const owner = /^cordon-(\d+)-[0-9a-f]+$/.exec(name)?.[1]
      if (owner !== undefined && !isAlive(Number(owner))) tryRemove(path.join(folder, name))
    }
  }
}

/** Retries for half a second: Linux refuses to remove the group until its last process is gone. */
async function removeSoon(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    if (tryRemove(folder)) return
    await delay(10)
  }
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  return readText(`/proc/${pid}/stat`) !== undefined
}

export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
