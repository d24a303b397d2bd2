/** Runs over the life of one or several processes: when they are executed, given up, cancelled and deleted. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { FLOW_SETTINGS } from '../flow-settings.ts'
import type { FlowRuntime, RunOutcome } from './flow-runtime.ts'
import { HeldRun } from './held-run.ts'
import { openRuntime } from './open-runtime.ts'
import { openSqliteLog } from './sqlite-log.ts'

const DAY_MS = 24 * 3600 * 1000
const root = mkdtempSync(path.join(tmpdir(), 'cordon-runtime-'))
after(() => rmSync(root, { recursive: true }))

/** A runtime with one run that has ended (`old`), and one that waits (`open`). */
async function openWithRuns(name: string): Promise<FlowRuntime> {
  const settled = { old: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() }
  const fail = (message: string): void => assert.fail(message)
  const place = { kind: 'sqlite', path: path.join(root, name) } as const
  const runtime = await openRuntime(place, {
    execute: async ({ id }) =>
      id === 'old' ? { kind: 'completed', output: null } : { kind: 'parked' },
    settled: ({ id }) => settled[id as 'old' | 'open'].resolve(),
    log: { info: () => undefined, warn: fail, error: fail },
    settings: FLOW_SETTINGS,
  })
  runtime.begin()
  for (const id of ['old', 'open'] as const) {
    await runtime.start({ id, input: null, flow: 'f' })
    await settled[id].promise
  }
  return runtime
}

test('a run is forgotten a month after it ended, while the process goes on', async (t) => {
  const daily: (() => void)[] = []
  const repeat = globalThis.setInterval
  t.mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
    if (ms === DAY_MS) daily.push(work)
    return repeat(work, ms)
  })
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  await using runtime = await openWithRuns('month.db')
  const daysPass = (days: number): void => {
    t.mock.timers.setTime(now + days * DAY_MS)
    for (const work of daily) work()
  }
  daysPass(29)
  assert.equal((await runtime.find('old'))?.state, 'completed')
  daysPass(31)
  while (await runtime.find('old')) await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await runtime.find('open'))?.state, 'running')
})

test('a run that ended while somebody cancels it stays as it ended', async () => {
  await using runtime = await openWithRuns('cancel.db')
  await runtime.cancel('old')
  assert.equal((await runtime.find('old'))?.state, 'completed')
  await runtime.cancel('open')
  assert.equal((await runtime.find('open'))?.state, 'cancelled')
  await runtime.cancel('nobody')
})

const ALL = { isScheduled: false, flows: [] }
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Simulates a process that claims the run, executes these steps, and dies without releasing the run. */
async function dieOver(file: string, steps: readonly string[]): Promise<void> {
  const runLog = await openSqliteLog(file)
  const run = (await runLog.claim(60_000, ALL)) ?? assert.fail('nothing to claim')
  const held = new HeldRun({ runLog, run, log: silent, onRoom: () => undefined })
  await held.readSteps()
  for (const step of steps) await held.done(await held.begin(step, null), null)
  await runLog.close()
}

async function workOn(
  file: string,
  executed: string[],
): Promise<{ readonly runtime: FlowRuntime; readonly outcome: () => Promise<RunOutcome> }> {
  let settled = Promise.withResolvers<RunOutcome>()
  const runtime = await openRuntime(
    { kind: 'sqlite', path: file },
    {
      async execute({ id }) {
        executed.push(id)
        return { kind: 'completed', output: null }
      },
      settled: (_run, outcome) => settled.resolve(outcome),
      log: silent,
      settings: FLOW_SETTINGS,
    },
  )
  const outcome = async (): Promise<RunOutcome> => {
    const one = await settled.promise
    settled = Promise.withResolvers()
    return one
  }
  return { runtime, outcome }
}

async function createRun(file: string): Promise<void> {
  const runLog = await openSqliteLog(file)
  await runLog.create({ id: 'r', flow: 'f', isScheduled: false, input: 'null' })
  await runLog.close()
}

test('open runs are listed without those that have ended', async () => {
  const { runtime, outcome } = await workOn(path.join(root, 'listed.db'), [])
  await using _open = runtime
  for (const id of ['first', 'second', 'third']) await runtime.start({ id, input: null, flow: 'f' })
  await runtime.cancel('second')
  const open = async () =>
    new Set((await runtime.list({ limit: 10, state: 'running' })).map(({ id }) => id))
  assert.deepEqual(await open(), new Set(['first', 'third']))
  assert.equal((await runtime.list({ limit: 1, state: 'running' })).length, 1)
  runtime.begin()
  await outcome()
  while ((await open()).size > 0) await outcome()
})

async function stuckRun(name: string) {
  const file = path.join(root, name)
  await createRun(file)
  await dieOver(file, ['a'])
  for (let times = 0; times < 5; times += 1) await dieOver(file, [])
  const executed: string[] = []
  const { runtime, outcome } = await workOn(file, executed)
  assert.equal((await runtime.find('r'))?.state, 'running')
  runtime.begin()
  assert.deepEqual(await outcome(), { kind: 'parked', isStuck: true })
  const question = (await runtime.steps('r')).at(-1) ?? assert.fail()
  assert.deepEqual([question.kind, question.state], ['question', 'begun'])
  return { runtime, outcome, executed, file, question: question.name }
}

test('a run over which five processes died without progress is parked, and goes on when its owner says so', async () => {
  const { runtime, executed, file, question } = await stuckRun('stuck.db')
  await runtime[Symbol.asyncDispose]()
  // The next process leaves it alone as well.
  const later = await workOn(file, executed)
  later.runtime.begin()
  await later.runtime.start({ id: 'other', input: null, flow: 'f' })
  assert.equal((await later.outcome()).kind, 'completed')
  assert.deepEqual(executed, ['other'])
  assert.ok(await later.runtime.answer('r', question, { choice: 'retry' }))
  assert.equal((await later.outcome()).kind, 'completed')
  assert.deepEqual(executed, ['other', 'r'])
  await later.runtime[Symbol.asyncDispose]()
})

test('after the word of its owner a stuck run is resumed as often as a new one', async () => {
  const { runtime, file, question } = await stuckRun('again.db')
  await runtime[Symbol.asyncDispose]()
  const runLog = await openSqliteLog(file)
  assert.ok(await runLog.answer('r', question, '{"choice":"retry"}'))
  await runLog.close()
  for (let times = 0; times < 4; times += 1) await dieOver(file, [])
  const executed: string[] = []
  const later = await workOn(file, executed)
  await using _open = later.runtime
  later.runtime.begin()
  assert.equal((await later.outcome()).kind, 'completed')
  assert.deepEqual(executed, ['r'])
})

test('a stuck run that its owner ends has failed, and can still be reopened', async () => {
  const { runtime, outcome, executed, question } = await stuckRun('ended.db')
  await using _open = runtime
  assert.ok(await runtime.answer('r', question, { choice: 'fail' }))
  const { kind, problem } = (await outcome()) as Extract<RunOutcome, { kind: 'failed' }>
  assert.deepEqual([kind, (problem as { code: string }).code], ['failed', 'flows.stuck'])
  assert.deepEqual(executed, [])
  assert.ok(await runtime.reopen('r'))
  assert.equal((await outcome()).kind, 'completed')
  assert.deepEqual(executed, ['r'])
})

test('a run that gets on, or that a process gave back, is resumed however often', async () => {
  const file = path.join(root, 'progress.db')
  await createRun(file)
  for (let times = 0; times < 12; times += 1) {
    await dieOver(file, times % 4 === 0 ? [`step ${times}`] : [])
  }
  const runLog = await openSqliteLog(file)
  const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
  assert.ok(await runLog.settle(claim, { state: 'open', delayMs: 0 }))
  await runLog.close()
  const executed: string[] = []
  const { runtime, outcome } = await workOn(file, executed)
  await using _open = runtime
  runtime.begin()
  assert.equal((await outcome()).kind, 'completed')
  assert.deepEqual(executed, ['r'])
})

test('nothing is worked on before the worker begins, and what was started by then is not forgotten', async () => {
  const file = path.join(root, 'later.db')
  await createRun(file)
  const executed: string[] = []
  const { runtime } = await workOn(file, executed)
  await using _open = runtime
  await runtime.start({ id: 's', input: null, flow: 'f' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(executed, [])
  runtime.begin()
  while (executed.length < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(new Set(executed), new Set(['r', 's']))
})

test('a run that has ended can be forgotten at once, and one that goes on is left alone', async () => {
  await using runtime = await openWithRuns('forget.db')
  await runtime.forget('old')
  await runtime.forget('open')
  assert.equal(await runtime.find('old'), undefined)
  assert.equal((await runtime.find('open'))?.state, 'running')
})
