/**
 * A parked start with every limit applied. It is released once the launch may go ahead, and ended if the launch may
 * not; no line of the program has run then.
 */
import type { LaunchSpec, MemoryLayer, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import { openHolder } from './cgroup.ts'
import type { Host } from '../host.ts'
import { type ParkedStart, type StartOptions, startParked } from './parked-start.ts'
import { childrenOf, namespaceTree, untilTied } from '../process/process-tree.ts'
import { sandboxedProcess } from '../process/sandboxed-process.ts'

export interface ReadyStart {
  readonly parked: ParkedStart
  readonly process: SandboxedProcess
  /** Settles when the warden has been inside; the start is not released before. Rejects once the start was ended. */
  readonly entered: Promise<void>
}

export interface Limits {
  readonly memoryLimitBytes: number
  readonly limitsFor: (layer: MemoryLayer) => ReadonlyMap<number, number>
}

export async function makeReady(
  { cgroups, timings, warden }: Pick<Host, 'cgroups' | 'timings' | 'warden'>,
  options: StartOptions,
  { memoryLimitBytes, limitsFor }: Limits,
  signal: AbortSignal,
): Promise<ReadyStart> {
  const holder = openHolder(cgroups, memoryLimitBytes)
  const onInfo = (info: string): void => {
    warden.hold(initPidIn(info))
    holder.join(initPidIn(info))
  }
  const parked = await startParked({ ...options, onInfo }, signal).catch((error: unknown) => {
    holder.discard()
    throw error
  })
  const initPid = initPidIn(await parked.info)
  await untilTied(initPid)
  const entered = warden.enter(initPid, limitsFor('rlimit+watchdog'))
  entered.catch(() => undefined) // handled below, once a process is there to be stopped
  const { cgroup, memoryLayer } = await holder.hold([initPid, ...childrenOf(initPid)])
  const tree = namespaceTree(parked.child, initPid, warden)
  const holding = { tree, memoryLayer, memoryLimitBytes, cgroup, timings }
  const process = sandboxedProcess(parked, holding)
  const orEnded = entered.catch(async (error: unknown) => {
    parked.release('')
    await process.stop()
    throw error
  })
  orEnded.catch(() => undefined) // awaited by the launch, which compares the mounts meanwhile
  return { parked, process, entered: orEnded }
}

function initPidIn(info: string): number {
  return (JSON.parse(info) as { readonly 'child-pid': number })['child-pid']
}

/**
 * Settles as `goAhead` does, or rejects when the launch is aborted. Asked for after the process was forked: a fork copies
 * the page tables, and takes twice as long while a thread of the check writes to the same memory.
 */
export function wordFor({ goAhead }: LaunchSpec, signal: AbortSignal): Promise<unknown> {
  const given = Promise.withResolvers<unknown>()
  const giveUp = (): void => given.reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  Promise.resolve(goAhead?.()).then(given.resolve, given.reject)
  const word = given.promise.finally(() => signal.removeEventListener('abort', giveUp))
  word.catch(() => undefined) // a rejection before `released` awaits the promise is not unhandled
  return word
}

/** Sends the sheet once the launch may go ahead; if refused, an empty sheet ends the program before its first line. */
export async function released(
  { parked, process }: Pick<ReadyStart, 'parked' | 'process'>,
  sheet: string,
  mayRun: Promise<unknown>,
): Promise<void> {
  try {
    await mayRun
  } catch (error) {
    parked.release('')
    await process.stop()
    throw error
  }
  parked.release(sheet)
}
