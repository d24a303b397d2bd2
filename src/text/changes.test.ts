import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Changes, NamedChanges } from './changes.ts'

const never = new AbortController().signal

/** Whether a promise has settled, without waiting for it. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false
  void promise.then(() => (done = true))
  await new Promise(setImmediate)
  return done
}

test('a change wakes everybody who waits, and nobody who comes after it', async () => {
  const changes = new Changes()
  changes.announce()
  const [first, second] = [changes.next(never), changes.next(never)]
  assert.equal(await isDone(first), false)
  const { count } = changes
  changes.announce()
  await Promise.all([first, second])
  assert.equal(changes.count, count + 1)
  assert.equal(await isDone(changes.next(never)), false)
})

test('whoever waits is let go when the signal aborts, and leaves nothing behind', async () => {
  const changes = new Changes()
  const control = new AbortController()
  const waiting = changes.next(control.signal)
  assert.ok(changes.isAwaited)
  control.abort()
  await waiting
  await changes.next(control.signal)
  assert.equal(changes.isAwaited, false)
  assert.equal(getEventListeners(control.signal, 'abort').length, 0)
})

test('nobody waits longer than was said', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waiting = new Changes().next(never, 1000)
  t.mock.timers.tick(999)
  assert.equal(await isDone(waiting), false)
  t.mock.timers.tick(1)
  await waiting
})

test('until() looks again after each change, and first of all', async () => {
  const changes = new Changes()
  await changes.until(() => true, never)
  let left = 2
  const waiting = changes.until(() => left === 0, never)
  left = 1
  changes.announce()
  assert.equal(await isDone(waiting), false)
  left = 0
  changes.announce()
  await waiting
  const control = new AbortController()
  const given = changes.until(() => false, control.signal)
  control.abort()
  await given
})

test('a change of one thing wakes nobody who waits for another', async () => {
  const changes = new NamedChanges()
  const [a, again, b] = ['a', 'a', 'b'].map((name) => changes.next(name, never))
  assert.ok(a && again && b)
  changes.announce('a')
  changes.announce('c')
  await Promise.all([a, again])
  assert.equal(await isDone(b), false)
  changes.announce('b')
  await b
  const later = changes.next('a', never)
  assert.equal(await isDone(later), false)
  changes.announce('a')
  await later
})

test('whoever comes while the last ones leave is still told of the next change', async () => {
  const changes = new NamedChanges()
  const [one, other] = [new AbortController(), new AbortController()]
  const leaving = [one, other].map(({ signal }) => changes.next('a', signal))
  let late: Promise<void> | undefined
  one.abort()
  const come = async (): Promise<void> => {
    await Promise.resolve()
    late = changes.next('a', never)
  }
  void Promise.resolve().then(come)
  other.abort()
  await Promise.all(leaving)
  await new Promise(setImmediate)
  changes.announce('a')
  assert.ok(late)
  assert.equal(await isDone(late), true)
})
