import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../text/json.ts'
import { listPage } from './list-page.ts'

const listOf = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ name: `tool-${at}` }))

/** Every page asks another kernel, which has the same list as an object of its own. */
function readAll(count: number): readonly JsonObject[] {
  const read: JsonObject[] = []
  let cursor: string | undefined
  do {
    const page = listPage('tools', listOf(count), cursor)
    read.push(...(page['tools'] as readonly JsonObject[]))
    cursor = page['nextCursor'] as string | undefined
  } while (cursor !== undefined)
  return read
}

test('listPage() gives every item once, in order, whichever kernel is asked for the next page', () => {
  for (const count of [0, 1, 499, 500, 501, 1000, 1234])
    assert.deepEqual(readAll(count), listOf(count))
})

test('listPage() refuses a cursor of a list that has changed, and one that it never gave', () => {
  const nextCursor = listPage('tools', listOf(600), undefined)['nextCursor'] as string
  const refused = { message: /^The list has changed/ }
  assert.throws(() => listPage('tools', listOf(601), nextCursor), refused)
  for (const cursor of ['', 'x', ':500', 7, null, `${nextCursor}0000000000`]) {
    assert.throws(() => listPage('tools', listOf(600), cursor), refused)
  }
})
