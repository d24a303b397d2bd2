/**
 * The costs of the flow engine: a durable step over the same call without the engine, a thousand runs beside a plain
 * loop of calls, a hundred runs at once, a parallel list beside the ideal, a followed run beside an unfollowed one, a
 * store with a long history, and the check of a large flow. PostgreSQL is measured beside SQLite.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkFlow } from '../src/flows/check/check-flow.ts'
import { fakeNodes } from '../src/flows/nodes/fake-nodes.ts'
import { parseIr } from '../src/flows/language/ir.ts'
import type { AuditEvent } from '../src/kernel/audit-record.ts'
import { callTool } from '../src/kernel/call-tool.ts'
import type { Json } from '../src/text/json.ts'
import { ownCall } from '../src/kernel/own-call.ts'
import { OWNER } from '../src/kernel/principal.ts'
import { decideFor } from '../test/flows/core-decide.ts'
import {
  type EngineHouse,
  never,
  openEngineHouse,
  SERVER,
  startOf,
} from '../test/flows/engine-house.ts'
import { openPostgres } from '../test/fixtures/postgres.ts'
import { chainOf, followToEnd, formats, ITEM_MS, runToEnd, TOOLS } from './flows/bench-runs.ts'
import { measureHistory } from './flows/measure-history.ts'
import { type Load, measureLoad, measureStall } from './flows/measure-load.ts'
import { measureReal, type RealLoad } from './flows/measure-real.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 40
const STEPS = 20
const RUNS = 1000
const RUN_STEPS = 5
const ITEMS = 100
const LANES = 10
const NODES = 200
const LONG = 1000

export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-bench-flows-'))
  const ended = new Map<string, () => void>()
  const audit = {
    append({ subject = '' }: AuditEvent) {
      ended.get(subject)?.()
      return { seq: 0, hash: '' }
    },
  }
  const house = await openEngineHouse({ folder, tools: TOOLS, rooms: { audit } })
  // The engine's timers do not keep the process alive, so this interval does.
  const alive = setInterval(() => undefined, 1000)
  try {
    return await measure(house, ended)
  } finally {
    clearInterval(alive)
    await house[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  }
}

type Ended = Map<string, () => void>

async function measure(house: EngineHouse, ended: Ended): Promise<BenchReport> {
  const idle = await idleShare()
  const { step, call } = await measureSteps(house)
  const { perSecond, plainPerSecond } = await measureMany(house)
  const each = await measureEach(house)
  const follow = await measureFollow(house, ended)
  const load = await measureLoad(house)
  const stall = await measureStall(house)
  const postgres = await measurePostgres()
  const real = await measureReal()
  const history = await measureHistory(chainOf(RUN_STEPS, 'echo', 'text'))
  const check = measureCheck()
  return {
    figures: [
      { name: '100 runs at once: processor time of a step', value: load.cpuPerStep, unit: 'µs' },
      { name: '100 runs at once, PostgreSQL', value: postgres.stepsPerSecond, unit: 'steps/s' },
      { name: 'the same: processor time of a step', value: postgres.cpuPerStep, unit: 'µs' },
      {
        name: '100 runs × 5 calls of 200 ms, PostgreSQL',
        value: postgres.overIdeal,
        unit: '× ideal',
      },
      ...figuresOf(real),
      { name: '100,000 finished runs: file', value: history.fileMb, unit: 'MB' },
      { name: 'start of a run in an empty store', value: history.emptyStartMs, unit: 'ms' },
      { name: 'idle: share of one core', value: idle * 100, unit: '%' },
      { name: 'a call of the same tool without the engine', value: call, unit: 'ms' },
      { name: `${RUNS} runs × ${RUN_STEPS} steps`, value: perSecond, unit: 'steps/s' },
      { name: 'the same calls in a plain loop', value: plainPerSecond, unit: 'calls/s' },
      { name: `${ITEMS} items, ${LANES} at once`, value: each, unit: '× the ideal' },
      { name: `a run of ${LONG} steps that nobody follows`, value: follow.alone, unit: 'ms' },
    ],
    bars: [
      {
        name: 'durable step over its call, p50',
        value: step - call,
        unit: 'ms',
        kind: 'most',
        limit: 5,
      },
      { name: 'parallel forEach over the ideal', value: each, unit: '×', kind: 'most', limit: 1.3 },
      {
        name: `followed / unfollowed, ${LONG} steps`,
        value: follow.followed / follow.alone,
        unit: '×',
        kind: 'most',
        limit: 1.2,
      },
      bar('100 runs at once, SQLite', load.stepsPerSecond, 'steps/s', 3000, 'least'),
      bar('longest stall in 10,000 pure steps', stall, 'ms', 50),
      bar('100 runs × 5 calls of 200 ms', load.overIdeal, '× ideal', 2),
      bar('shipped kernel, real server: 100 × 5 calls of 200 ms', real.overIdeal, '× ideal', 2),
      bar('shipped kernel: followed / unfollowed, processor time', real.followed, '×', 1.2),
      bar('100,000 finished runs: open', history.openMs, 'ms', 1500),
      bar('100,000 finished runs: runs --state failed', history.failedMs, 'ms', 20),
      bar('start of a run / in an empty store', history.startMs / history.emptyStartMs, '×', 2),
      bar('1,000 parked runs: share of one core', history.parkedShare * 100, '%', 0.5),
      { name: `check of ${NODES} nodes, p50`, value: check, unit: 'ms', kind: 'most', limit: 100 },
    ],
  }
}

function figuresOf(real: RealLoad): BenchReport['figures'] {
  const where = 'shipped kernel, real server in its sandbox'
  return [
    { name: `${where}: 100 runs at once`, value: real.stepsPerSecond, unit: 'steps/s' },
    { name: 'the same: processor time of a step', value: real.cpuPerStep, unit: 'µs' },
  ]
}

function bar(
  name: string,
  value: number,
  unit: string,
  limit: number,
  kind: BenchReport['bars'][number]['kind'] = 'most',
): BenchReport['bars'][number] {
  return { name, value, unit, kind, limit }
}

async function measurePostgres(): Promise<Load> {
  await using server = await openPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'cordon-bench-flows-'))
  try {
    const databaseUrl = await server.createDatabase()
    await using house = await openEngineHouse({ folder, databaseUrl, tools: TOOLS })
    return await measureLoad(house)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The share of one core that the process uses while no run exists. */
async function idleShare(): Promise<number> {
  const seconds = 5
  const before = process.cpuUsage()
  await sleep(seconds * 1000)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6 / seconds
}

/** The time of a step includes its call, so the call is measured too and subtracted. */
async function measureSteps(house: EngineHouse): Promise<{ step: number; call: number }> {
  const steps: number[] = []
  const calls: number[] = []
  await runToEnd(house, chainOf(STEPS, 'echo', 'text'))
  for (let round = 0; round < ROUNDS; round += 1) {
    steps.push((await runToEnd(house, chainOf(STEPS, 'echo', 'text'))) / STEPS)
    calls.push(await plainCalls(house, STEPS))
  }
  return { step: quantile(steps, 0.5), call: quantile(calls, 0.5) }
}

/** Milliseconds for one call through the same door, without the engine. */
async function plainCalls({ door }: EngineHouse, count: number): Promise<number> {
  const tool = { server: SERVER, name: 'echo' }
  const began = performance.now()
  for (let at = 0; at < count; at += 1) {
    await callTool(door, ownCall(OWNER, tool, { text: 'hello' }), never)
  }
  return (performance.now() - began) / count
}

async function measureMany(
  house: EngineHouse,
): Promise<{ perSecond: number; plainPerSecond: number }> {
  const ir = chainOf(RUN_STEPS, 'echo', 'text')
  const began = performance.now()
  const lanes = Array.from({ length: 16 }, async () => {
    for (let at = 0; at < RUNS / 16; at += 1) await runToEnd(house, ir)
  })
  await Promise.all(lanes)
  const seconds = (performance.now() - began) / 1000
  const plainMs = await plainCalls(house, RUNS * RUN_STEPS)
  const runs = Math.ceil(RUNS / 16) * 16
  return { perSecond: (runs * RUN_STEPS) / seconds, plainPerSecond: 1000 / plainMs }
}

async function measureEach(house: EngineHouse): Promise<number> {
  const items = Array.from({ length: ITEMS }, (_, at) => at)
  const forEach = { items, parallel: true, max_concurrent: LANES, max: ITEMS }
  const ir = { nodes: [{ id: 'each', type: 'box.slow', forEach, params: { n: '${item}' } }] }
  const times: number[] = []
  for (let round = 0; round < 5; round += 1) times.push(await runToEnd(house, ir))
  return quantile(times, 0.5) / ((ITEMS / LANES) * ITEM_MS)
}

/** The same long run with and without a follower, in turn; the quickest of each, since noise only adds. */
async function measureFollow(
  { flows }: EngineHouse,
  ended: Ended,
): Promise<{ followed: number; alone: number }> {
  const times: { readonly followed: number[]; readonly alone: number[] } = {
    followed: [],
    alone: [],
  }
  for (let round = 0; round < 40; round += 1) {
    const kind = round % 2 === 0 ? 'followed' : 'alone'
    const id = `long-${round}`
    const { promise, resolve } = Promise.withResolvers<void>()
    await flows.start(startOf(id, formats(LONG)), never)
    const began = performance.now()
    ended.set(id, resolve)
    const following = kind === 'followed' ? followToEnd(flows, id) : undefined
    await promise
    await following
    times[kind].push(performance.now() - began)
  }
  return { followed: Math.min(...times.followed), alone: Math.min(...times.alone) }
}

function measureCheck(): number {
  const nodeIndex = fakeNodes()
  const kinds = ['mail.list', 'calendar.is_free', 'slack.send_message', 'format']
  const paramsOf = (at: number): Json[] => [
    {},
    { day: '${n0.items[0].id}' },
    { channel: '#x', message: `\${n${Math.max(0, at - 2)}.result}` },
    { template: `about \${n${Math.max(0, at - 3)}.items}` },
  ]
  const nodes = Array.from({ length: NODES }, (_, at) => ({
    id: `n${at}`,
    type: kinds[at % kinds.length],
    params: paramsOf(at)[at % kinds.length],
  }))
  const times: number[] = []
  for (let round = 0; round < 30; round += 1) {
    const began = performance.now()
    checkFlow({ ir: parseIr({ nodes }), nodeIndex, predict: decideFor })
    times.push(performance.now() - began)
  }
  return quantile(times, 0.5)
}
