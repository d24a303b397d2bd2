/** How the page follows a long run: its steps are not read anew for every event. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { FlowRun, FlowTrace } from '../../src/ports/flow-port.ts'
import { followRun, type RunReader, type RunView } from '../../src/web/app/flows/follow-run.ts'

const RUN: FlowRun = {
  id: 'r',
  flow: 'f',
  state: 'running',
  principal: 'owner',
  startedAt: '2026-11-19T00:00:00.000Z',
  stepsDone: 0,
}
const never = new AbortController().signal

interface Followed extends RunReader, RunView {
  readonly told: FlowTrace[]
  readonly failures: unknown[]
  readonly paused: number[]
  shows: number
}

/** A run with an event at every look, which is over when its steps were read so often. `tookMs`: what a reading takes. */
function longRun(readings: number, more: Partial<RunReader> = {}, tookMs = 0): Followed {
  let events = 0
  return {
    told: [],
    failures: [],
    paused: [],
    shows: 0,
    async show() {
      this.shows += 1
      if (tookMs > 0) await sleep(tookMs)
      const state = this.shows === readings ? 'completed' : 'running'
      return { ...RUN, state, stepsDone: events, steps: [], ir: null }
    },
    async follow() {
      events += 1
      await turn()
      return { run: { ...RUN, stepsDone: events }, events: [{ number: events }] }
    },
    async pause(ms) {
      this.paused.push(ms)
      await turn()
    },
    tell(trace) {
      this.told.push(trace)
    },
    fail(failure) {
      this.failures.push(failure)
      return true
    },
    ...more,
  }
}

test('the steps of a run are read once a second at most, and what an event changes is shown at once', async () => {
  const run = longRun(5)
  await followRun(run, run, never)
  assert.equal(run.shows, 5)
  assert.equal(run.paused.length, 4)
  assert.ok(
    run.paused.every((ms) => ms > 800 && ms <= 1000),
    String(run.paused),
  )
  assert.deepEqual(
    run.told.map(({ stepsDone }) => stepsDone),
    [0, 1, 1, 2, 2, 3, 3, 4, 4],
  )
})

test('the longer a reading takes, the longer the next one waits', async () => {
  const run = longRun(2, {}, 400)
  await followRun(run, run, never)
  assert.ok((run.paused[0] ?? 0) > 1100, String(run.paused))
})

test('a question that was answered is gone at the next event, and the end is read at once', async () => {
  const question = { id: 'q', kind: 'stuck', node: 'n', text: 't', choices: [] } as const
  const asking: FlowTrace = { ...RUN, state: 'asking', question, steps: [], ir: null }
  let shows = 0
  const over = longRun(0, {
    show: async () => (++shows === 1 ? asking : { ...asking, state: 'completed' }),
  })
  await followRun(over, over, never)
  assert.equal(over.told[1]?.question, undefined)
  assert.equal(over.paused.length, 1)
  const ended = longRun(2, {
    follow: async () => ({ run: { ...RUN, state: 'failed' }, events: [] }),
  })
  await followRun(ended, ended, never)
  assert.deepEqual([ended.shows, ended.paused], [2, []])
})

test('a kernel that is away is waited for, and its events are counted anew', async () => {
  const from: number[] = []
  const run = longRun(3, {
    async follow(after) {
      from.push(after)
      if (from.length === 2) throw new Error('away')
      return { run: RUN, events: [{ number: 7 }] }
    },
  })
  await followRun(run, run, never)
  assert.deepEqual(from, [0, 7])
  assert.equal(run.failures.length, 1)
  assert.equal(run.paused.at(-1), 500)
})
