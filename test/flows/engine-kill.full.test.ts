/**
 * Kills the process that works on a run of ten steps: between two steps, inside one, and at any time. Another process
 * resumes the run. Every run ends, or asks about the one call whose outcome is unknown; no write happens twice.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { type DoomedChild, startChild } from '../fixtures/doomed-child.ts'
import { openPostgres, type TestPostgres } from '../fixtures/postgres.ts'
import { effectsIn, openEngineHouse, untilState } from './engine-house.ts'
import { killTools, type Moment, type Orders } from './engine-kill.ts'

const CHILD = new URL('engine-kill.child.ts', import.meta.url)
const STEPS = 10
const MOMENTS: readonly Moment[] = ['between', 'before', 'after']

interface Round {
  readonly number: number
  /** The step and moment at which the process dies; or the milliseconds after which it is killed. */
  readonly dieAt: NonNullable<Orders['dieAt']> | number
}

const ROUNDS: readonly Round[] = [
  ...Array.from({ length: STEPS * MOMENTS.length }, (_, at) => ({
    step: 1 + Math.floor(at / MOMENTS.length),
    moment: MOMENTS[at % MOMENTS.length] ?? 'between',
  })),
  ...Array.from({ length: 20 }, (_, at) => at * 3),
].map((dieAt, number) => ({ number, dieAt }))

/** Rounds of every kind: after a write, before a write, between two steps, and after two different times. */
const FEW = [11, 16, 21, 31, 41]
const CHOSEN = rounds(
  ROUNDS,
  ROUNDS.filter(({ number }) => FEW.includes(number)),
)
/** Rounds that run at once on PostgreSQL, where most of a round is waiting for the dead process's claim to expire. */
const LANES = 10

const start = (orders: Orders): DoomedChild => startChild(CHILD, JSON.stringify(orders))

const IR = {
  nodes: Array.from({ length: STEPS }, (_, at) => ({
    id: `s${at + 1}`,
    type: at % 2 === 0 ? 'box.read' : 'box.write',
    params: { step: at + 1 },
  })),
}

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-engine-kill-'))
let server: TestPostgres
before(async () => {
  server = await openPostgres()
})
after(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

interface Told {
  readonly state: string
  readonly question?: string
}

function lastLine(said: string): Told {
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as Told
}

interface Effect {
  readonly kind: string
  readonly step: number
  readonly at: number
}

function effectsOf(place: string): readonly Effect[] {
  return effectsIn(place).map((line) => {
    const [kind = '', step, at] = line.split(' ')
    return { kind, step: Number(step), at: Number(at) }
  })
}

/** Answers as an owner who has checked whether the write happened. */
async function answer(orders: Orders, question: string): Promise<void> {
  const step = Number(/^s(\d+)/.exec(question)?.[1])
  const wasDone = effectsOf(orders.folder).some((one) => one.step === step)
  await using house = await openEngineHouse({ ...orders, tools: killTools(orders.folder) })
  const { flows } = house
  const asking = await untilState(flows, orders.run, ({ state }) => state === 'asking')
  assert.match(asking.question?.text ?? '', /was sent to box\.write \(Box\)/)
  await flows.answer(orders.run, question, wasDone ? 'done' : 'retry')
}

async function settle(orders: Orders): Promise<{ readonly asked: boolean }> {
  const first = lastLine((await start(orders).ended).said)
  if (first.state !== 'asking') return checked(orders, first, false)
  return await afterAnswer(orders, first.question ?? '')
}

async function afterAnswer(orders: Orders, question: string): Promise<{ readonly asked: boolean }> {
  await answer(orders, question)
  return checked(orders, lastLine((await start(orders).ended).said), true)
}

function checked(orders: Orders, told: Told, asked: boolean): { readonly asked: boolean } {
  assert.equal(told.state, 'completed')
  const effects = effectsOf(orders.folder)
  for (let step = 1; step <= STEPS; step += 1) {
    const times = effects.filter((one) => one.step === step).length
    assert.ok(times >= 1, `step ${step} never ran`)
    assert.ok(step % 2 === 1 || times === 1, `step ${step} changed something ${times} times`)
  }
  return { asked }
}

/** Only a write that had already been sent may be asked about. */
function mayAsk({ dieAt }: Round): boolean {
  return typeof dieAt === 'number' || (dieAt.step % 2 === 0 && dieAt.moment !== 'between')
}

async function dieIn(round: Round, orders: Orders): Promise<number> {
  const { dieAt } = round
  const dying = typeof dieAt === 'number' ? {} : { dieAt }
  const child = start({ ...orders, ir: IR, ...dying })
  await child.untilSaid('works')
  if (typeof dieAt === 'number') {
    await sleep(dieAt)
    child.kill('SIGKILL')
  }
  const { signal } = await child.ended
  assert.ok(signal === 'SIGKILL' || typeof dieAt === 'number')
  return Date.now()
}

/** Two processes at once: the one that works on the run dies, and the other reports the outcome. */
async function oneOfTwo(
  { dieAt }: Round,
  orders: Orders,
): Promise<{ readonly died: number; readonly told: Told }> {
  const dying = typeof dieAt === 'number' ? {} : { dieAt }
  const children = [start({ ...orders, ir: IR, ...dying }), start({ ...orders, ...dying })]
  let died = 0
  const ends = children.map(async ({ ended }) => {
    const end = await ended
    if (end.signal === 'SIGKILL') died = Date.now()
    return end
  })
  if (typeof dieAt === 'number') {
    await children[0]?.untilSaid('works')
    await sleep(dieAt)
    children[0]?.kill('SIGKILL')
  }
  const left = (await Promise.all(ends)).filter(({ signal }) => signal === null)
  assert.ok(left.length === 1 || (typeof dieAt === 'number' && left.length > 0))
  return { died, told: lastLine(left.at(-1)?.said ?? '') }
}

async function inLanes(count: number, work: (round: Round) => Promise<void>): Promise<void> {
  const left = [...CHOSEN]
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: count }, lane))
}

function report(context: TestContext, takeovers: readonly number[], asked: number): void {
  const sorted = takeovers.toSorted((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0
  context.diagnostic(
    `${CHOSEN.length} rounds, ${asked} asked; taken over after ${middle} ms (median), ` +
      `${sorted.at(-1) ?? 0} ms at most`,
  )
}

function takeoverIn(place: string, died: number): readonly number[] {
  const next = effectsOf(place).find(({ at }) => at > died)
  return next ? [next.at - died] : []
}

test('FLOW-1: on SQLite no run is lost and nothing is done twice, wherever its process dies', async (context) => {
  const takeovers: number[] = []
  let asked = 0
  await inLanes(2, async (round) => {
    const place = path.join(folder, `sqlite-${round.number}`)
    mkdirSync(place)
    const orders = { folder: place, run: `run-${round.number}` }
    const died = await dieIn(round, orders)
    const end = await settle(orders)
    assert.ok(!end.asked || mayAsk(round), `round ${round.number} asked`)
    asked += Number(end.asked)
    takeovers.push(...takeoverIn(place, died))
  })
  report(context, takeovers, asked)
})

test('FLOW-1: on PostgreSQL a second process takes over, and nothing is done twice', async (context) => {
  const takeovers: number[] = []
  let asked = 0
  await inLanes(LANES, async (round) => {
    const place = path.join(folder, `postgres-${round.number}`)
    mkdirSync(place)
    const databaseUrl = await server.createDatabase()
    const orders = { folder: place, run: `run-${round.number}`, databaseUrl }
    const { died, told } = await oneOfTwo(round, orders)
    const end =
      told.state === 'asking'
        ? await afterAnswer(orders, told.question ?? '')
        : checked(orders, told, false)
    assert.ok(!end.asked || mayAsk(round), `round ${round.number} asked`)
    asked += Number(end.asked)
    takeovers.push(...takeoverIn(place, died))
  })
  report(context, takeovers, asked)
})

test('a process that slept while another took over calls nothing when it wakes', async () => {
  const place = path.join(folder, 'slept')
  mkdirSync(place)
  const orders = { folder: place, run: 'run-slept', databaseUrl: await server.createDatabase() }
  const first = start({ ...orders, ir: IR, dieAt: { step: 4, moment: 'sleeps' } })
  await first.untilSaid('sleeps')
  first.kill('SIGSTOP')
  const second = await start(orders).ended
  checked(orders, lastLine(second.said), false)
  const before = effectsIn(place).length
  first.kill('SIGCONT')
  const { said, signal } = await first.ended
  assert.equal(signal, null)
  checked(orders, lastLine(said), false)
  assert.equal(effectsIn(place).length, before)
})
