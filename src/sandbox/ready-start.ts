/** A start that waits for its first line, with every limit on it. What it will run, and what it will be told, is not known yet. */
import type { LaunchSpec, SandboxedProcess } from '../kernel/sandbox-port.ts'
import { hold } from './cgroup.ts'
import type { Host } from './host.ts'
import { type ParkedStart, type StartOptions, startParked } from './parked-start.ts'
import { childrenOf, namespaceTree, untilTied } from './process-tree.ts'
import { sandboxedProcess } from './sandboxed-process.ts'

export interface StartPlan {
  readonly options: StartOptions
  readonly memoryLimitBytes: number
  /** The folders and files it shows, not by name: what is mounted stays what it was, whatever gets its name later. */
  readonly shown: readonly string[]
}

export interface ReadyStart {
  readonly parked: ParkedStart
  readonly process: SandboxedProcess
}

export async function makeReady(
  host: Pick<Host, 'cgroups' | 'timings'>,
  { options, memoryLimitBytes }: StartPlan,
  signal: AbortSignal,
): Promise<ReadyStart> {
  const parked = await startParked(options, signal)
  const { 'child-pid': initPid } = JSON.parse(await parked.info) as { 'child-pid': number }
  await untilTied(initPid)
  const held = [initPid, ...(await childrenOf(initPid))]
  const { cgroup, memoryLayer } = hold(host.cgroups, held, memoryLimitBytes)
  const tree = namespaceTree(parked.child, initPid)
  const { timings } = host
  const holding = { tree, memoryLayer, memoryLimitBytes, cgroup, timings }
  return { parked, process: sandboxedProcess(parked, holding) }
}

/** Waits for the word, but not longer than whoever wanted the process. */
export function wordFor({ goAhead }: LaunchSpec, signal: AbortSignal): Promise<unknown> {
  const given = Promise.withResolvers<unknown>()
  const giveUp = (): void => given.reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  Promise.resolve(goAhead).then(given.resolve, given.reject)
  const word = given.promise.finally(() => signal.removeEventListener('abort', giveUp))
  word.catch(() => undefined) // it may be a no before anybody asks
  return word
}

/** Its first line runs after this, unless it may not run after all. */
export async function released(
  ready: ReadyStart,
  sheet: string,
  mayRun: Promise<unknown>,
): Promise<void> {
  try {
    await mayRun
  } catch (error) {
    await dismiss(ready)
    throw error
  }
  ready.parked.release(sheet)
}

/** An empty sheet ends it before its first line. */
export async function dismiss({ parked, process }: ReadyStart): Promise<void> {
  parked.release('')
  await process.stop()
}

/** Two plans that are spelled alike make the same sandbox. */
export function spellPlan({ options, memoryLimitBytes, shown }: StartPlan): string {
  const { words, identity, feeds } = options
  const fed = feeds.map((feed) => Buffer.from(feed).toString('base64'))
  return JSON.stringify([words, identity, fed, memoryLimitBytes, shown])
}
