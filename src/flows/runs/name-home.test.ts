import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameHome, nameHome, shownHome } from './name-home.ts'

const [A, B] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']

test('homes are told apart by their ids, and by their places where one has none', () => {
  const home = nameHome('box:/home', A)
  assert.ok(isSameHome(home, home))
  assert.ok(isSameHome(home, nameHome('renamed:/home', A)))
  assert.ok(!isSameHome(home, nameHome('box:/home', B)))
  assert.ok(isSameHome(home, 'box:/home'))
  assert.ok(!isSameHome(home, 'other:/home'))
  assert.equal(shownHome(home), 'box:/home')
  assert.equal(shownHome('box:/a#b'), 'box:/a#b')
})
