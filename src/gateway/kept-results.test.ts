import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { KeptResults } from './kept-results.ts'
import { ResultPool } from './result-pool.ts'

const value = new Labelled('x', { label: OWN_WORDS })

test('kept results are bounded in number, size and time; the oldest goes first', () => {
  const many = new KeptResults()
  const ids = Array.from({ length: 40 }, () => many.keep(value, 1, 0))
  assert.equal(many.find(ids[0] ?? '', 0), undefined)
  assert.equal(many.find(ids[8] ?? '', 0), value)
  assert.equal(new Set(ids).size, 40)

  const large = new KeptResults()
  const first = large.keep(value, 20 * 2 ** 20, 0)
  const second = large.keep(value, 20 * 2 ** 20, 0)
  assert.equal(large.find(first, 0), undefined)
  assert.equal(large.find(second, 0), value)
  assert.equal(large.find(second, 3_599_999), value)
  assert.equal(large.find(second, 3_600_000), undefined)
})

test('the results of all sessions together are bounded, and the oldest of any session goes first', () => {
  const pool = new ResultPool()
  const sessions = Array.from({ length: 5 }, () => new KeptResults())
  const ids = sessions.map((session) => {
    session.join(pool)
    return session.keep(value, 30 * 2 ** 20, 0)
  })
  const kept = sessions.map((session, at) => session.find(ids[at] ?? '', 0) !== undefined)
  assert.deepEqual(kept, [false, true, true, true, true])
})
