/**
 * Fifteen minutes of ordinary use: ten sandboxed servers, some fifty calls a second, a server killed every two seconds.
 * Every call must be answered or fail with a reason, and the kernel must not grow. `SOAK_SECONDS` makes it shorter.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Json } from '../src/text/json.ts'
import type { BenchReport } from './report.ts'
import { openSoakHouse, type SoakHouse } from './soak-house.ts'

const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 900)
/** The share of the run after which one-time costs, such as loading code, are over. */
const SETTLED_SHARE = 0.2
const CALL_EVERY_MS = 20
const KILL_EVERY_MS = 2_000
const LOOK_EVERY_MS = 3_000
const SAMPLE_EVERY_MS = 1_000
/** Longer than any call may take. */
const LAST_ANSWER_MS = 45_000
const MB = 2 ** 20

export async function run(): Promise<BenchReport> {
  const house = await openSoakHouse()
  const tally = createTally()
  await allConnected(house)
  await collectGarbage()
  await live(house, tally, SECONDS * SETTLED_SHARE)
  const settled = await measure(house, tally)
  await live(house, tally, SECONDS * (1 - SETTLED_SHARE))
  const end = await measure(house, tally)
  await house.close()
  await delay(500)
  return report(tally, settled, end, house.leftovers() + children())
}

interface Tally {
  calls: number
  pending: number
  answered: number
  /** Failed as they were meant to: a tool that fails, arguments that do not fit, a caller who gave up. */
  failedAsMeant: number
  /** Failed because their server was killed, and said so. */
  failedByKill: number
  /** Failed in any other way. */
  unexplained: string[]
  kills: number
  relaunches: number
  /** One sample a second. */
  readonly rss: number[]
}

function createTally(): Tally {
  const calls = { calls: 0, pending: 0, answered: 0, failedAsMeant: 0, failedByKill: 0 }
  return { ...calls, unexplained: [], kills: 0, relaunches: 0, rss: [] }
}

async function live(house: SoakHouse, tally: Tally, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1000
  const every = async (ms: number, act: () => Promise<void> | void): Promise<void> => {
    for (let due = performance.now(); due < until; due += ms) {
      await delay(Math.max(0, due - performance.now()))
      await act()
    }
  }
  await Promise.all([
    every(CALL_EVERY_MS, () => void call(house, tally)),
    every(KILL_EVERY_MS, async () => {
      if (await house.killServer(pick(house.servers))) tally.kills += 1
    }),
    every(LOOK_EVERY_MS, () => relaunch(house, tally)),
    every(SAMPLE_EVERY_MS, () => void tally.rss.push(process.memoryUsage.rss())),
  ])
}

async function call(house: SoakHouse, tally: Tally): Promise<void> {
  const server = pick(house.servers)
  const [tool, args, cancelAfterMs] = pick(server.startsWith('slow') ? SLOW_CALLS : QUICK_CALLS)
  const signal = cancelAfterMs === undefined ? undefined : AbortSignal.timeout(cancelAfterMs)
  tally.calls += 1
  tally.pending += 1
  try {
    const result = await house.api.call('mcp.call', { server, tool, args }, signal)
    if (result.kind === 'ok') tally.answered += 1
    else countFailure(tally, result.reason)
  } catch (error) {
    tally.unexplained.push(String(error))
  } finally {
    tally.pending -= 1
  }
}

function countFailure(tally: Tally, reason: string): void {
  if (AS_MEANT.test(reason)) tally.failedAsMeant += 1
  else if (BY_KILL.test(reason)) tally.failedByKill += 1
  else tally.unexplained.push(reason)
}

const AS_MEANT =
  /^(?:as it should|The arguments do not fit the tool: |There is no such tool$|The call was cancelled$)/
const BY_KILL =
  /^(?:Server ".+" is not available|The server ended while it worked on the call): it was ended by SIGKILL/

type Call = readonly [tool: string, args: Readonly<Record<string, Json>>, cancelAfterMs?: number]
const QUICK_CALLS: readonly Call[] = [
  ...['short', 'x'.repeat(2_000)].map((text): Call => ['echo', { text }]),
  ['sum', { a: 1, b: 2 }],
  ['slug', { text: 'aaaa' }],
  ['fail', { text: 'as it should' }],
  ['big', { bytes: 50_000 }],
  ['echo', {}],
  ['no-such-tool', {}],
]
const SLOW_CALLS: readonly Call[] = [
  ['sleep', { ms: 50 }],
  ['sleep', { ms: 800, tells: true }],
  ['sleep', { ms: 3_000 }],
  ['sleep', { ms: 3_000 }, 150],
]

/** Starts every server that is down, as its owner would. */
async function relaunch(house: SoakHouse, tally: Tally): Promise<void> {
  const up = new Set(await house.connected())
  for (const server of house.servers) {
    if (up.has(server)) continue
    tally.relaunches += 1
    // A server that is killed again during this start is found by the next look.
    await house.api.call('mcp.start', { server }).catch(() => undefined)
  }
}

interface Measures {
  readonly heap: number
  readonly rss: number
  readonly descriptors: number
  readonly unanswered: number
}

/** In a quiet moment: no call under way, every server up. */
async function measure(house: SoakHouse, tally: Tally): Promise<Measures> {
  const deadline = performance.now() + LAST_ANSWER_MS
  while (tally.pending > 0 && performance.now() < deadline) await delay(20)
  await allConnected(house)
  await collectGarbage()
  const { heapUsed: heap, rss } = process.memoryUsage()
  const descriptors = readdirSync('/proc/self/fd').length
  return { heap, rss, descriptors, unanswered: tally.pending }
}

async function allConnected(house: SoakHouse): Promise<void> {
  const deadline = performance.now() + LAST_ANSWER_MS
  const down = createTally()
  while ((await house.connected()).length < house.servers.length) {
    if (performance.now() > deadline) throw new Error('Not every server came up again')
    await delay(200)
    await relaunch(house, down)
  }
}

function report(tally: Tally, settled: Measures, end: Measures, left: number): BenchReport {
  for (const problem of tally.unexplained) process.stderr.write(`  ${problem}\n`)
  const count = (name: string, value: number) => ({ name, value, unit: '' })
  const trend = laterTrend(tally.rss)
  const none = { limit: 0, kind: 'most' } as const
  return {
    figures: [
      count('seconds', SECONDS),
      count('calls', tally.calls),
      count('answered', tally.answered),
      count('failed as meant', tally.failedAsMeant),
      count('failed by a kill, and told so', tally.failedByKill),
      count('servers killed', tally.kills),
      count('servers relaunched by their owner', tally.relaunches),
      { name: 'heap, settled', value: settled.heap / MB, unit: 'MiB' },
      { name: 'heap, end', value: end.heap / MB, unit: 'MiB' },
      { name: 'RSS, settled', value: settled.rss / MB, unit: 'MiB' },
      { name: 'RSS, end', value: end.rss / MB, unit: 'MiB' },
      { name: 'RSS slope, last half', value: (60 * trend.perSample) / MB, unit: 'MiB/min' },
    ],
    bars: [
      { ...count('calls without an answer', end.unanswered), ...none },
      { ...count('calls failed without a known reason', tally.unexplained.length), ...none },
      {
        name: 'heap, end vs settled',
        value: end.heap / settled.heap,
        unit: '×',
        limit: 1.1,
        kind: 'most',
      },
      {
        name: 'RSS, end vs start of the last half',
        value: trend.growth,
        unit: '×',
        limit: 1.05,
        kind: 'most',
      },
      {
        ...count('descriptors more than when settled', end.descriptors - settled.descriptors),
        ...none,
      },
      { ...count('processes and cgroups left', left), ...none },
    ],
  }
}

interface Trend {
  readonly perSample: number
  /** The last value of the line through the samples, by its first. */
  readonly growth: number
}

/** A line through the later half of the samples: single ones jump by what V8 keeps until its next collection. */
function laterTrend(samples: readonly number[]): Trend {
  const later = samples.slice(Math.floor(samples.length / 2))
  const [middleAt, middle] = [(later.length - 1) / 2, mean(later)]
  const spread = mean(later.map((_, at) => (at - middleAt) ** 2))
  const perSample = mean(later.map((value, at) => (at - middleAt) * (value - middle))) / spread
  const half = perSample * middleAt
  return { perSample, growth: (middle + half) / (middle - half) }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** V8 drops compiled code that did not run between several collections; only after that can two moments be compared. */
const COLLECTIONS = 12

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < COLLECTIONS; turn += 1) {
    await delay(100)
    collect()
  }
}

/** The number of child processes of this process, of any kind. */
function children(): number {
  const text = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).length
}

function pick<T>(choices: readonly T[]): T {
  return choices[Math.floor(Math.random() * choices.length)] as T
}
