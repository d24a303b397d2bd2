/** Items worked on concurrently: how many at once, and how the rest continues when an item fails or has to wait. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { forEachItem } from './for-each-item.ts'
import { RunParked } from './run-ends.ts'

test('so many are worked on at once, and results keep their places', async () => {
  let now = 0
  let most = 0
  const results = await forEachItem([5, 1, 3, 2], 2, async (item) => {
    now += 1
    most = Math.max(most, now)
    await sleep(item)
    now -= 1
    return item * 10
  })
  assert.deepEqual(results, [50, 10, 30, 20])
  assert.equal(most, 2)
})

test('after a failure nothing begins, and what is under way ends first', async () => {
  const ended: number[] = []
  const work = async (item: number): Promise<void> => {
    if (item === 0) throw new Error('no')
    await sleep(20)
    ended.push(item)
  }
  await assert.rejects(forEachItem([1, 0, 2, 3], 2, work), { message: 'no' })
  assert.deepEqual(ended, [1])
})

test('one that has to wait lets the others be done, and the earliest time counts', async () => {
  const done: number[] = []
  const parked = forEachItem([1, 2, 3, 4], 1, async (item) => {
    if (item === 1) throw new RunParked(new Date(2000))
    if (item === 2) throw new RunParked(new Date(1000))
    done.push(item)
  })
  await assert.rejects(
    parked,
    (error: unknown) => error instanceof RunParked && error.until?.getTime() === 1000,
  )
  assert.deepEqual(done, [3, 4])
})
