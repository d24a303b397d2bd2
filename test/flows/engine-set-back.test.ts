/** A clock that is set back while a run waits for its next try: the wait gets no longer, in that process or the next. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callFailed } from '../../src/kernel/call-failure.ts'
import { until } from '../fixtures/until.ts'
import { type EngineHouse, never, startOf, type TestTool } from './engine-house.ts'
import { newPlace, openWithTools } from './engine-tools.ts'

const HOUR_MS = 3_600_000
/** Longer than the wait that parks the run. */
const WAITED_MS = 8000

/** A tool that may be called again after six seconds: such a wait parks the run. */
function busyTool(): { readonly busy: TestTool; readonly calls: () => number } {
  let calls = 0
  const busy: TestTool = {
    name: 'busy',
    effect: 'remote-read',
    run() {
      calls += 1
      return calls === 1
        ? { ...callFailed('call.rate-limited', 'Too fast'), retryAfterSeconds: 6 }
        : { ok: true }
    },
  }
  return { busy, calls: () => calls }
}

async function hasEnded({ flows }: EngineHouse): Promise<boolean> {
  return (await flows.show('r')).endedAt !== undefined
}

test('the next try comes when it would have come, in a process whose clock is set back', async (t) => {
  const { busy, calls } = busyTool()
  const [now, steady] = [Date.now(), performance.now()]
  await using house = await openWithTools({}, [busy])
  await house.flows.start(startOf('r', { nodes: [{ id: 'busy', type: 'box.busy' }] }), never)
  await until(async () => JSON.stringify(await house.flows.show('r')).includes('Too fast'))
  t.mock.timers.enable({ apis: ['Date'], now: now - HOUR_MS / 2 })
  t.mock.method(performance, 'now', () => steady + WAITED_MS)
  await until(() => hasEnded(house))
  assert.equal(calls(), 2)
})

test('the next try comes at once in a process that starts after the clock was set back by hours', async (t) => {
  const { busy, calls } = busyTool()
  const folder = newPlace()
  {
    await using house = await openWithTools({ folder }, [busy])
    await house.flows.start(startOf('r', { nodes: [{ id: 'busy', type: 'box.busy' }] }), never)
    await until(() => calls() === 1)
  }
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 2 * HOUR_MS })
  await using house = await openWithTools({ folder }, [busy])
  await until(() => hasEnded(house))
  assert.equal(calls(), 2)
})
