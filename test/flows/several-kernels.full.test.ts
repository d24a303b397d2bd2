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
import {
  type Kernel,
  openKernels,
  runsOf,
  startRun,
  STEPS,
  type TwoKernels,
} from './two-kernels.ts'

const RUNS: number = rounds(100, 20)

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
  const first = await kernels.start({ name: 'first' })
  const second = await kernels.start({ name: 'second', isAhead })
  const ids = Array.from({ length: RUNS }, () => randomUUID())
  const began = performance.now()
  const starting = Promise.all(
    ids.map((id, at) => startRun(at % 2 === 0 ? [first, second] : [second, first], id)),
  )
  await pause(700)
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
