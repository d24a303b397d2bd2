/**
 * A parked start with every limit applied. It is released once the launch may go ahead, and ended if the launch may
 * not; no line of the program has run then.
 */
import type { LaunchSpec, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import { hold } from './cgroup.ts'
import type { Host } from '../host.ts'
import { type ParkedStart, type StartOptions, startParked } from './parked-start.ts'
import { childrenOf, namespaceTree, untilTied } from '../process/process-tree.ts'
import { sandboxedProcess } from '../process/sandboxed-process.ts'

interface ReadyStart {
  readonly parked: ParkedStart
  readonly process: SandboxedProcess
}

export async function makeReady(
  host: Pick<Host, 'cgroups' | 'timings'>,
  options: StartOptions,
  memoryLimitBytes: number,
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

/** Settles as `goAhead` does, or rejects when the launch is aborted. */
export function wordFor({ goAhead }: LaunchSpec, signal: AbortSignal): Promise<unknown> {
  const given = Promise.withResolvers<unknown>()
  const giveUp = (): void => given.reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  Promise.resolve(goAhead).then(given.resolve, given.reject)
  const word = given.promise.finally(() => signal.removeEventListener('abort', giveUp))
  word.catch(() => undefined) // a rejection before `released` awaits the promise is not unhandled
  return word
}

/** Sends the sheet once the launch may go ahead; if refused, an empty sheet ends the program before its first line. */
export async function released(
  { parked, process }: ReadyStart,
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
