/** Calls through every gateway in turn: latency one by one, calls per second with 32 in flight, processor time per call. */
import path from 'node:path'
import { quantile } from '../report.ts'
import type { Contender, Way } from './contender.ts'
import { CONTENDERS, prepare } from './contenders.ts'
import { cpuMs, endAll, gatewayPids, residentMiB } from './gateway-processes.ts'
import type { Link, Tool } from './link.ts'
import { reasonOf, until, within } from './within.ts'

const IN_FLIGHT = 32
const MIB = 2 ** 20

export interface Sizes {
  readonly rounds: number
  readonly callsInTurn: number
  readonly crowdMs: number
  readonly blobs: number
}

/** The figures of one contender. */
export interface CallFigures {
  readonly name: string
  readonly way: Way
  readonly p50: number
  readonly p99: number
  readonly perSecond: number
  /** Of the gateway alone, in microseconds. */
  readonly cpuAlone: number
  readonly cpuInCrowd: number
  readonly blobMs: number
  readonly residentMiB: number
  /** Milliseconds of a 10 MiB result and of a 1 MiB argument; the error where it was none. */
  readonly large: Readonly<Record<'result' | 'argument', number | string>>
}

interface Running {
  readonly contender: Contender
  readonly pids: readonly number[]
  readonly call: (tool: string, args: object) => Promise<unknown>
  readonly alone: number[]
  readonly crowds: number[]
  readonly blobs: number[]
  readonly cpu: { alone: number; crowd: number; crowdCalls: number }
}

/** Limits of a start with its server, of a turn, and of a large call. */
const START_MS = 40_000
const TURN_MS = 20_000
const LARGE_MS = 20_000

/** No round begins after the deadline, except the first. A contender that fails or hangs is left out with a reason. */
export async function measureCalls(
  sizes: Sizes,
  folder: string,
  deadline: number,
): Promise<readonly CallFigures[]> {
  let running: readonly Running[] = []
  try {
    running = await collect(CONTENDERS, (contender) => {
      process.stderr.write(`  starting ${contender.name} …\n`)
      const own = path.join(folder, contender.name)
      return within(START_MS, (signal) => start(contender, own, signal))
    })
    for (let round = 0; round < sizes.rounds; round += 1) {
      if (round > 0 && performance.now() > deadline) break
      process.stderr.write(`  round ${round + 1} of ${sizes.rounds} …\n`)
      running = await collect(running, async (one) => {
        await within(TURN_MS, (signal) => turn(one, sizes, signal))
        return one
      })
    }
    return await collect(running, figuresOf)
  } finally {
    await Promise.all(CONTENDERS.map(({ name }) => endAll(name)))
  }
}

type Named = { readonly name: string } | { readonly contender: { readonly name: string } }

/** One after another; without those that failed. */
async function collect<T extends Named, R>(
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (const one of all) {
    const { name } = 'contender' in one ? one.contender : one
    try {
      results.push(await work(one))
    } catch (error) {
      process.stderr.write(`  ${name} is left out: ${reasonOf(error)}\n`)
      await endAll(name)
    }
  }
  return results
}

async function start(contender: Contender, folder: string, signal: AbortSignal): Promise<Running> {
  await prepare(contender, 1, folder, signal)
  const link = await contender.start(1, folder, signal)
  const call = await callerOf(contender, link, signal)
  const answers = (): Promise<boolean> =>
    call('echo', { text: 'hello' }).then(
      () => true,
      () => false,
    )
  await until(answers, signal)
  for (let warm = 0; warm < 300; warm += 1) await call('echo', { text: 'hello' })
  const pids = gatewayPids(contender.name)
  const cpu = { alone: 0, crowd: 0, crowdCalls: 0 }
  return { contender, pids, call, alone: [], crowds: [], blobs: [], cpu }
}

/** A call by the name that the gateway gives to the tool; fails where its answer is no success. */
async function callerOf(
  { callOf }: Contender,
  link: Link,
  signal: AbortSignal,
): Promise<Running['call']> {
  let tools: readonly Tool[] = []
  // Some list tools only once their servers are ready.
  await until(async () => {
    ;({ tools } = (await link.request('tools/list', {})) as { tools: readonly Tool[] })
    return tools.some(({ name }) => name.endsWith('echo')) || callOf !== undefined
  }, signal)
  const named = (tool: string): string =>
    tools.find(({ name }) => name.endsWith(tool))?.name ?? tool
  return async (tool, args) => {
    const params = callOf?.(tool, args) ?? { name: named(tool), arguments: args }
    const result = (await link.request('tools/call', params)) as { isError?: boolean }
    if (result.isError) throw new Error(JSON.stringify(result).slice(0, 300))
    return result
  }
}

async function turn(one: Running, sizes: Sizes, signal: AbortSignal): Promise<void> {
  const { call, pids, cpu } = one
  const before = cpuMs(pids)
  for (let at = 0; at < sizes.callsInTurn; at += 1) {
    signal.throwIfAborted()
    one.alone.push(await timed(() => call('echo', { text: `hello ${at}` })))
  }
  const between = cpuMs(pids)
  cpu.alone += between - before
  const { calls, ms } = await crowd(call, sizes.crowdMs)
  one.crowds.push((calls / ms) * 1000)
  cpu.crowd += cpuMs(pids) - between
  cpu.crowdCalls += calls
  for (let at = 0; at < sizes.blobs; at += 1) {
    one.blobs.push(await timed(() => call('blob', { bytes: MIB })))
  }
}

async function crowd(call: Running['call'], forMs: number): Promise<{ calls: number; ms: number }> {
  const began = performance.now()
  let calls = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - began < forMs) {
      await call('echo', { text: 'hello' })
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
  return { calls, ms: performance.now() - began }
}

async function figuresOf(one: Running): Promise<CallFigures> {
  const { contender, pids, call, alone, crowds, blobs, cpu } = one
  const resident = residentMiB(pids)
  const result = await tried(() => call('blob', { bytes: 10 * MIB }))
  // A gateway that lost its server or its connection fails here: only that call may fail.
  const after = await tried(() => call('echo', { text: 'after' }))
  const argument = await tried(() => call('echo', { text: 'x'.repeat(MIB) }))
  return {
    name: contender.name,
    way: contender.way,
    p50: quantile(alone, 0.5),
    p99: quantile(alone, 0.99),
    perSecond: quantile(crowds, 0.5),
    cpuAlone: (cpu.alone / alone.length) * 1000,
    cpuInCrowd: (cpu.crowd / cpu.crowdCalls) * 1000,
    blobMs: quantile(blobs, 0.5),
    residentMiB: resident,
    large: { result: typeof after === 'string' ? `${result}; then: ${after}` : result, argument },
  }
}

async function tried(call: () => Promise<unknown>): Promise<number | string> {
  try {
    return await timed(() => within(LARGE_MS, call))
  } catch (error) {
    return reasonOf(error)
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
