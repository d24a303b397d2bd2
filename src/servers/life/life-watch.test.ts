import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayed, LifeWatch } from './life-watch.ts'
import { TIMINGS } from './timings.ts'

const [firstDelay = 0, secondDelay = 0] = TIMINGS.restartDelaysMs

function open() {
  const done: string[] = []
  const step = ({ kind }: { readonly kind: string }): void => void done.push(kind)
  return { done, watch: new LifeWatch(TIMINGS, { step, lookAfter: () => void done.push('look') }) }
}

test('a restart waits as long as its number says', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { done, watch } = open()
  for (const [restarts, delay] of [firstDelay, secondDelay].entries()) {
    watch.enter({ kind: 'backoff', restarts: restarts + 1, reason: 'died' })
    t.mock.timers.tick(delay - 1)
    assert.deepEqual(done, [])
    t.mock.timers.tick(1)
    assert.deepEqual(done.splice(0), ['retry'])
  }
})

test('a server that is connected is looked after, and after a while it counts as stable', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { done, watch } = open()
  watch.enter({ kind: 'connected', restarts: 1 })
  t.mock.timers.tick(2 * TIMINGS.healthMs)
  assert.deepEqual(done, ['look', 'look'])
  t.mock.timers.tick(TIMINGS.stableMs)
  assert.ok(done.includes('stable'))
})

test('no timer of a past state fires', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { done, watch } = open()
  watch.enter({ kind: 'connected', restarts: 0 })
  watch.enter({ kind: 'renewing', restarts: 0 })
  watch.enter({ kind: 'backoff', restarts: 1, reason: 'died' })
  watch.enter({ kind: 'idle' })
  t.mock.timers.tick(10 * TIMINGS.stableMs)
  assert.deepEqual(done, [])
})

test('what is delayed is done once, however often it was asked for meanwhile', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let count = 0
  const act = delayed(100, () => (count += 1))
  for (let asked = 0; asked < 5; asked += 1) act()
  assert.equal(count, 0)
  t.mock.timers.tick(100)
  assert.equal(count, 1)
  act()
  t.mock.timers.tick(100)
  assert.equal(count, 2)
})

test('what took long is done again only much later', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let count = 0
  const act = delayed(100, async () => {
    count += 1
    now += 4_000 // a list of 16 MB
  })
  const turn = (ms: number): Promise<void> => {
    t.mock.timers.tick(ms)
    return Promise.resolve().then(() => undefined)
  }
  act()
  await turn(100)
  await Promise.resolve()
  act()
  await turn(79_000)
  assert.equal(count, 1)
  await turn(1_000)
  assert.equal(count, 2)
})
