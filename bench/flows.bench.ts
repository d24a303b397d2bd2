/**
 * The costs of the flow engine: a durable step over the same call without the engine, a thousand runs beside a plain
 * loop of calls, a parallel list beside the ideal, a followed run beside an unfollowed one, and the check of a large
 * flow.
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
  type TestTool,
} from '../test/flows/engine-house.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 40
const STEPS = 20
const RUNS = 1000
const RUN_STEPS = 5
const ITEMS = 100
const LANES = 10
const ITEM_MS = 40
const NODES = 200
const LONG = 1000

const TOOLS: readonly TestTool[] = [
  {
    name: 'echo',
    effect: 'write',
    args: { text: 'content' },
    run: ({ args }) => args['text'] ?? '',
  },
  {
    name: 'slow',
    effect: 'remote-read',
    args: { n: 'query' },
    run: async ({ args }) => await sleep(ITEM_MS, args['n'] ?? null),
  },
]

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
  const check = measureCheck()
  return {
    figures: [
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
        limit: 1.5,
      },
      { name: `check of ${NODES} nodes, p50`, value: check, unit: 'ms', kind: 'most', limit: 100 },
    ],
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

let ids = 0
async function runToEnd({ flows }: EngineHouse, ir: Json): Promise<number> {
  ids += 1
  const id = `run-${ids}`
  const began = performance.now()
  await flows.start(startOf(id, ir), never)
  await followToEnd(flows, id)
  return performance.now() - began
}

async function followToEnd(flows: EngineHouse['flows'], id: string): Promise<void> {
  let after = 0
  for (;;) {
    const { run, events } = await flows.follow(id, after, never)
    if (run.state === 'completed') return
    if (run.state !== 'running') throw new Error(JSON.stringify(run))
    after = events.at(-1)?.number ?? after
  }
}

function echoes(count: number): Json {
  const nodes = Array.from({ length: count }, (_, at) => {
    return { id: `e${at}`, type: 'box.echo', params: { text: `hello ${at}` } }
  })
  return { nodes }
}

/** Steps that only compute: no step is quicker, so the cost of a follower weighs most. */
function formats(count: number): Json {
  const nodes = Array.from({ length: count }, (_, at) => {
    return { id: `f${at}`, type: 'format', params: { template: `hello ${at}` } }
  })
  return { nodes }
}

/** The time of a step includes its call, so the call is measured too and subtracted. */
async function measureSteps(house: EngineHouse): Promise<{ step: number; call: number }> {
  const steps: number[] = []
  const calls: number[] = []
  await runToEnd(house, echoes(STEPS))
  for (let round = 0; round < ROUNDS; round += 1) {
    steps.push((await runToEnd(house, echoes(STEPS))) / STEPS)
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
  const ir = echoes(RUN_STEPS)
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
  for (let round = 0; round < 12; round += 1) {
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
