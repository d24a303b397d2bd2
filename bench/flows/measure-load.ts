/** Many runs at once, calls that wait for a network, and the longest stall of the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type EngineHouse, never, startOf, untilOver } from '../../test/flows/engine-house.ts'
import { CALL_MS, chainOf, ringOf, runToEnd } from './bench-runs.ts'

const AT_ONCE = 100
const CALLS = 5

export interface Load {
  readonly stepsPerSecond: number
  readonly cpuPerStep: number
  /** The measured time of waiting calls, divided by the time of their waits. */
  readonly overIdeal: number
}

/** The best of some rounds, since other work on the machine only adds. */
export async function measureLoad(house: EngineHouse): Promise<Load> {
  const rounds = []
  for (let round = 0; round < 5; round += 1) rounds.push(await manyAtOnce(house))
  const waits: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const began = performance.now()
    await all(house, chainOf(CALLS, 'far', 'n'))
    waits.push(performance.now() - began)
  }
  return {
    stepsPerSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
    cpuPerStep: Math.min(...rounds.map(({ cpu }) => cpu)),
    overIdeal: Math.min(...waits) / (CALLS * CALL_MS),
  }
}

async function all(house: EngineHouse, ir: ReturnType<typeof chainOf>): Promise<void> {
  await Promise.all(Array.from({ length: AT_ONCE }, () => runToEnd(house, ir)))
}

async function manyAtOnce(
  house: EngineHouse,
): Promise<{ readonly perSecond: number; readonly cpu: number }> {
  const ir = chainOf(CALLS, 'echo', 'text')
  const cpu = process.cpuUsage()
  const began = performance.now()
  await all(house, ir)
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  const steps = AT_ONCE * CALLS
  return { perSecond: (steps / ms) * 1000, cpu: (user + system) / steps }
}

/** The longest time without a turn of the event loop while a run takes almost as many pure steps as it may. */
export async function measureStall({ flows }: EngineHouse): Promise<number> {
  const stalls: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const id = `pure-${round}`
    await flows.start(startOf(id, ringOf(100, 100)), never)
    await untilOver(flows, id)
    delay.disable()
    stalls.push(delay.max / 1e6)
  }
  return Math.min(...stalls)
}
