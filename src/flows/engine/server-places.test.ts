/** Places at a server: no more calls at once than there are, in the order in which they came. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseServerId } from '../../kernel/server-id.ts'
import { never } from '../../kernel/test-never.ts'
import { createServerPlaces } from './server-places.ts'

test('calls wait for a place at their server, in order, and other servers have places of their own', async () => {
  const enter = createServerPlaces(2)
  const [box, other] = [parseServerId('box'), parseServerId('other')]
  const inside: number[] = []
  const leaving = new Map<number, () => void>()
  const come = async (number: number): Promise<void> => {
    leaving.set(number, await enter(box, never))
    inside.push(number)
  }
  const coming = [1, 2, 3, 4].map(come)
  await nextTurn()
  assert.deepEqual(inside, [1, 2])
  ;(await enter(other, never))()
  leaving.get(2)?.()
  await nextTurn()
  assert.deepEqual(inside, [1, 2, 3])
  leaving.get(1)?.()
  leaving.get(3)?.()
  await Promise.all(coming)
  assert.deepEqual(inside, [1, 2, 3, 4])
})

test('a call whose run is cancelled leaves the line', async () => {
  const enter = createServerPlaces(1)
  const box = parseServerId('box')
  const release = await enter(box, never)
  const cancelling = new AbortController()
  const waiting = enter(box, cancelling.signal)
  const next = enter(box, never)
  cancelling.abort(new Error('cancelled'))
  await assert.rejects(waiting, /cancelled/)
  release()
  ;(await next)()
})

test('a place that comes free in the turn in which the first in line is cancelled goes to the next', async () => {
  const enter = createServerPlaces(1)
  const box = parseServerId('box')
  const release = await enter(box, never)
  const cancelling = new AbortController()
  const first = enter(box, cancelling.signal)
  let isIn = false
  const second = (async () => {
    await enter(box, never)
    isIn = true
  })()
  cancelling.abort(new Error('cancelled'))
  release()
  await assert.rejects(first, /cancelled/)
  await nextTurn()
  assert.ok(isIn)
  await second
})
