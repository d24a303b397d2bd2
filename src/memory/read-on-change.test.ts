import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOnChange } from './read-on-change.ts'

test('readOnChange() reads again after a change, and always if changes cannot be told', async () => {
  let reads = 0
  let stamp: string | undefined = 'a'
  const read = readOnChange(
    () => stamp,
    async () => ++reads,
  )
  assert.equal(await read(), 1)
  assert.equal(await read(), 1)
  stamp = 'b'
  assert.equal(await read(), 2)
  stamp = undefined
  assert.equal(await read(), 3)
  assert.equal(await read(), 4)
  stamp = 'b'
  assert.equal(await read(), 5)
})

test('a change during the reading is not missed', async () => {
  let stamp = 1
  let value = 'old'
  const read = readOnChange(
    () => String(stamp),
    async () => {
      const found = value
      value = 'new'
      stamp += 1
      return found
    },
  )
  assert.equal(await read(), 'old')
  assert.equal(await read(), 'new')
})
