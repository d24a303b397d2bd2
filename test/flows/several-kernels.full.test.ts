/**
 * Real kernels that share one PostgreSQL, while one of them or the database fails: every run ends, no write happens
 * twice, and the owner is asked only about a call whose end no living kernel knows.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { type FaultyPostgres, startPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import {
  type Kernel,
  openKernels,
  runsOf,
  startRun,
  STEPS,
  type TwoKernels,
} from './two-kernels.ts'

const RUNS: number = rounds(100, 20)
const FEW_RUNS: number = rounds(60, 20)

/** Runs last long enough that a fault finds both kernels at work. */
const SLOWLY = '[flows]\nruns_at_once = 8\n'

interface Scene {
  readonly server: FaultyPostgres
  readonly first: Kernel
  readonly second: Kernel
}

interface Fault {
  readonly name: string
  readonly strike: (scene: Scene) => Promise<void>
  /** Whether a call may be under way in a kernel that dies or freezes, so that nobody knows how it ended. */
  readonly mayAsk: boolean
  readonly isAhead?: boolean
}

const FAULTS: readonly Fault[] = [
  {
    name: 'a kernel is killed',
    mayAsk: true,
    strike: async ({ second }) => void second.process.kill('SIGKILL'),
  },
  {
    name: 'a kernel is frozen for 25 s',
    mayAsk: true,
    async strike({ second }) {
      second.process.kill('SIGSTOP')
      await pause(25_000)
      second.process.kill('SIGCONT')
    },
  },
  {
    name: 'PostgreSQL is stopped for 5 s',
    mayAsk: false,
    async strike({ server }) {
      await server.stop('SIGINT')
      await pause(5000)
      await server.restart()
    },
  },
  {
    name: 'PostgreSQL crashes',
    mayAsk: false,
    async strike({ server }) {
      await server.stop('SIGQUIT')
      await pause(3000)
      await server.restart()
    },
  },
  {
    name: 'PostgreSQL is frozen for 30 s',
    mayAsk: false,
    async strike({ server }) {
      server.signal('SIGSTOP')
      await pause(30_000)
      server.signal('SIGCONT')
    },
  },
  {
    name: 'a kernel is ten minutes ahead',
    mayAsk: false,
    isAhead: true,
    strike: async () => undefined,
  },
]

/** The second kernel is in the middle of several runs. */
async function isUnderWay(second: Kernel, kernels: TwoKernels): Promise<boolean> {
  if (kernels.lines().length < RUNS) return false
  const held = (await runsOf(second))?.filter(({ kernel }) => kernel?.endsWith('/second'))
  return (held?.length ?? 0) > 3
}

/** Answers as an owner who has looked whether the write happened. The ids of the runs that asked. */
async function untilAllEnded(kernel: Kernel, kernels: TwoKernels): Promise<ReadonlySet<string>> {
  const asked = new Set<string>()
  const deadline = performance.now() + 150_000
  for (;;) {
    const runs = (await runsOf(kernel)) ?? []
    for (const { id, question } of runs.filter(({ state }) => state === 'asking')) {
      if (!question) continue
      asked.add(id)
      const step = /^s(\d+)/.exec(question.id)?.[1]
      const choice = kernels.lines().includes(`${id} ${step}`) ? 'done' : 'retry'
      await kernel.api.call('flows.answer', { id, question: question.id, choice }).catch(() => 0)
    }
    if (runs.length === RUNS && runs.every(({ endedAt }) => endedAt !== undefined)) return asked
    if (performance.now() > deadline)
      assert.fail(JSON.stringify(runs.filter((one) => !one.endedAt)))
    await pause(250)
  }
}

async function tryFault({ name, strike, mayAsk, isAhead = false }: Fault, context: TestContext) {
  await using server = await startPostgres()
  await using kernels = openKernels(await server.createDatabase())
  const first = await kernels.start({ name: 'first', settings: SLOWLY })
  const second = await kernels.start({ name: 'second', settings: SLOWLY, isAhead })
  const ids = Array.from({ length: RUNS }, () => randomUUID())
  const began = performance.now()
  const starting = Promise.all(
    ids.map((id, at) => startRun(at % 2 === 0 ? [first, second] : [second, first], id)),
  )
  await until(async () => await isUnderWay(second, kernels))
  await strike({ server, first, second })
  await starting
  const asked = await untilAllEnded(first, kernels)
  const runs = (await runsOf(first)) ?? []
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const completed = runs.filter(({ state }) => state === 'completed').length
  context.diagnostic(
    `${name}: ${completed} of ${RUNS} completed, ${asked.size} asked, ${seconds} s`,
  )
  assert.deepEqual(
    runs.filter(({ state }) => state !== 'completed').map(({ problem }) => problem),
    [],
  )
  const lines = kernels.lines()
  assert.equal(new Set(lines).size, lines.length, 'a write happened twice')
  assert.equal(lines.length, RUNS * STEPS)
  if (!mayAsk) assert.equal(asked.size, 0)
}

for (const fault of FAULTS) {
  test(`FLOW-1: ${fault.name}: all runs of two kernels complete, and no write happens twice`, async (context) => {
    await tryFault(fault, context)
  })
}

test('runs on two kernels of which one lacks the server complete on the other', async () => {
  await using server = await startPostgres()
  await using kernels = openKernels(await server.createDatabase())
  const first = await kernels.start({ name: 'first', settings: SLOWLY })
  const second = await kernels.start({ name: 'second', hasNothing: true })
  const ids = Array.from({ length: FEW_RUNS }, () => randomUUID())
  await Promise.all(ids.map((id) => startRun([first], id)))
  const ended = async () => (await runsOf(second))?.every(({ endedAt }) => endedAt !== undefined)
  await until(async () => (await ended()) === true)
  const runs = (await runsOf(first)) ?? []
  assert.equal(runs.length, FEW_RUNS)
  assert.deepEqual(
    runs.filter(({ state }) => state !== 'completed').map(({ problem }) => problem),
    [],
  )
  assert.equal(kernels.lines().length, FEW_RUNS * STEPS)
})

test('a run that no kernel can serve waits, says what is lacking, and goes on when a kernel has it', async () => {
  await using server = await startPostgres()
  await using kernels = openKernels(await server.createDatabase())
  const first = await kernels.start({ name: 'first', settings: SLOWLY })
  const second = await kernels.start({ name: 'second', hasNothing: true })
  const id = randomUUID()
  await startRun([first], id)
  await until(() => kernels.lines().length > 0)
  first.process.kill('SIGKILL')
  const shown = () => second.api.call('flows.show', { id })
  await until(async () => (await shown()).waitsFor !== undefined)
  const { state, waitsFor } = await shown()
  assert.equal(state, 'running')
  assert.match(waitsFor ?? '', /second cannot: it has no tool ledger\.write$/)
  await kernels.start({ name: 'first' })
  await until(async () => {
    const { question, endedAt } = await shown()
    const choice = kernels.lines().includes(`${id} ${question?.id.slice(1, 2)}`) ? 'done' : 'retry'
    if (question) {
      // An answer stays on record as open until a kernel has read it; a second one is refused.
      const answer = second.api.call('flows.answer', { id, question: question.id, choice })
      await answer.catch(() => undefined)
    }
    return endedAt !== undefined
  })
  assert.equal((await shown()).state, 'completed')
  assert.equal(new Set(kernels.lines()).size, STEPS)
})
