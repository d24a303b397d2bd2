import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesLikeRandom, holdsRandomRun, isMixedRun } from './random-text.ts'

test('a run of letters and digits is long enough for a key from 16 on, in an address from 20 on', () => {
  const run = 'a1B2c3D4e5F6g7H8i9J0'
  for (const [length, setting, address] of [
    [15, false, false],
    [16, true, false],
    [19, true, false],
    [20, true, true],
  ] as const) {
    const text = `x/${run.slice(0, length)}`
    assert.equal(holdsRandomRun(text), setting, text)
    assert.equal(holdsRandomRun(text, 'address'), address, text)
  }
  assert.ok(!holdsRandomRun('a1a1a1a1a1a1a1a1a1a1') && isMixedRun('a1a1a1a1a1a1a1a1a1a1'))
  assert.ok(!isMixedRun('a'.repeat(20)) && !isMixedRun('1'.repeat(20)))
  assert.ok(!holdsRandomRun('words-joined-by-dashes-2026'))
})

test('changesLikeRandom() tells keys from names, paths and dates', () => {
  for (const run of ['a1B2c3D4e5F6g7H8', '0f1e2d3c4b5a6978', 'tGk3x9QmZ2pLw7Rb']) {
    assert.ok(changesLikeRandom(run), run)
  }
  for (const run of ['getUserAccountDetailsById', '2026-01-02T03:04', 'server-everything']) {
    assert.ok(!changesLikeRandom(run), run)
  }
})
