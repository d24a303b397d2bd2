/** Starts and ends Cordon again and again, mostly by `kill -9` at a random moment, then reports what it left behind. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { findSocketApi } from '../../src/api/client.ts'
import type { Api } from '../../src/api/contract.ts'
import type { ServerSummary } from '../../src/api/servers.ts'
import type { DoomedHouse } from './doomed-house.ts'
import type { Reaped } from './reaper.ts'
import { added, traces } from './traces.ts'

export interface LeakReport {
  readonly seed: number
  readonly rounds: number
  /** The number of rounds in which Cordon was killed, and of kills while Cordon had child processes. */
  readonly killed: number
  readonly killedWithChildren: number
  /** The longest time from a kill until the last process of Cordon was gone. */
  readonly slowestMs: number
  /** Processes that were left, with the round that left them. */
  readonly processes: readonly string[]
  /** All other traces that remain after one more start and orderly stop. */
  readonly traces: readonly string[]
}

export interface RoundsOptions {
  readonly rounds: number
  readonly seed: number
}

type Kind = 'starting' | 'calling' | 'stopping' | 'graceful'
/** The share of kills while Cordon and its servers start, when most processes and mounts are half made. */
const STARTING = 0.7
const OTHERS: readonly Kind[] = ['calling', 'stopping', 'graceful']
const CALLING_MS = 300
const STOPPING_MS = 700

export async function runRounds(house: DoomedHouse, options: RoundsOptions): Promise<LeakReport> {
  const random = createRandom(options.seed)
  const pids = new Set<number>()
  const found = { killed: 0, killedWithChildren: 0, slowestMs: 0, processes: [] as string[] }
  const start = async (): Promise<Reaped> => {
    const reaped = await house.start()
    pids.add(reaped.pid)
    return reaped
  }
  await meetAll(house, start)
  const spanMs = await liveOnce(house, start)
  const before = traces(pids)
  for (let round = 1; round <= options.rounds; round += 1) {
    const kind = pickKind(round, random)
    house.setStubborn(kind !== 'graceful')
    const reaped = await start()
    const ending = await endings[kind](house, reaped, { random, spanMs })
    const left = await reaped.left
    found.processes.push(...left.map((line) => `round ${round}, ${kind}: ${line}`))
    if (kind === 'graceful') continue
    found.killed += 1
    found.killedWithChildren += ending.children > 0 ? 1 : 0
    found.slowestMs = Math.max(found.slowestMs, performance.now() - ending.at)
  }
  await liveOnce(house, start)
  const { rounds, seed } = options
  return { seed, rounds, ...found, traces: added(before, traces(pids)) }
}

/** The first round always kills while servers run. */
function pickKind(round: number, random: () => number): Kind {
  if (round === 1) return 'calling'
  return random() < STARTING ? 'starting' : (OTHERS[Math.floor(random() * 3)] ?? 'calling')
}

interface Ending {
  readonly at: number
  readonly children: number
}

interface Chance {
  readonly random: () => number
  /** From the start of Cordon until all its servers are connected. */
  readonly spanMs: number
}

const endings: Readonly<
  Record<Kind, (house: DoomedHouse, reaped: Reaped, chance: Chance) => Promise<Ending>>
> = {
  async starting(_house, reaped, { random, spanMs }) {
    await delay(random() * spanMs)
    return kill(reaped)
  },
  async calling(house, reaped, { random }) {
    const api = await connected(house)
    const args = { text: 'hello' }
    const calling = [1, 2, 3, 4].map(async () => {
      for (;;) await api.call('mcp.call', { server: 'echo', tool: 'echo', args })
    })
    await delay(random() * CALLING_MS)
    const ending = kill(reaped)
    await Promise.allSettled(calling)
    return ending
  },
  async stopping(house, reaped, { random }) {
    await connected(house)
    process.kill(reaped.pid, 'SIGTERM')
    await delay(random() * STOPPING_MS)
    return kill(reaped)
  },
  async graceful(house, reaped) {
    const api = await connected(house)
    const args = { text: 'hello' }
    const answer = await api.call('mcp.call', { server: 'echo', tool: 'echo', args })
    if (answer.kind !== 'ok') throw new Error(`The call was not answered: ${answer.reason}`)
    process.kill(reaped.pid, 'SIGTERM')
    return { at: performance.now(), children: 0 }
  },
}

function kill({ pid }: Reaped): Ending {
  const children = childrenOf(pid)
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Cordon has already stopped in order
  }
  return { at: performance.now(), children }
}

/** Lets Cordon connect to every server once, so that the files it keeps about them are not counted as traces. */
async function meetAll(house: DoomedHouse, start: () => Promise<Reaped>): Promise<void> {
  house.setStubborn(true)
  const reaped = await start()
  await connected(house, house.steady + 1)
  kill(reaped)
  await reaped.left
}

/** One start and orderly stop; returns how long it took until every server was connected. */
async function liveOnce(house: DoomedHouse, start: () => Promise<Reaped>): Promise<number> {
  house.setStubborn(false)
  const began = performance.now()
  const reaped = await start()
  await connected(house)
  const spanMs = performance.now() - began
  process.kill(reaped.pid, 'SIGTERM')
  const left = await reaped.left
  if (left.length > 0) throw new Error(`Not even an end in order ends all: ${left.join(', ')}`)
  return spanMs
}

const PATIENCE_MS = 120_000

/** Waits until `count` servers are connected. */
async function connected(house: DoomedHouse, count: number = house.steady): Promise<Api> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const api = await findSocketApi(house.socketPath).catch(() => undefined)
    const list = await api?.call('mcp.list', {}).catch(() => undefined)
    const up = list?.servers.filter(isSteady).length ?? 0
    if (api && up >= count) return api
    if (performance.now() > deadline) throw new Error(`Only ${up} servers came up`)
    await delay(10)
  }
}

function isSteady({ server, state }: ServerSummary): boolean {
  return state.badge === 'connected' && server !== 'dying'
}

function childrenOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).length
  } catch {
    return 0
  }
}

/** Mulberry32: the same seed gives the same moments. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
