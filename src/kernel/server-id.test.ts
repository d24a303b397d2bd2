import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServerId, serverIdFor } from './server-id.ts'

test('serverIdFor() makes a slug that is safe as a file name', () => {
  assert.equal(serverIdFor('GitHub Enterprise'), 'github-enterprise')
  assert.equal(serverIdFor('  Café / Notion! '), 'cafe-notion')
  assert.throws(() => serverIdFor('!!!'), { code: 'kernel.server-id' })
})

test('isServerId() refuses paths, capitals, spaces and length', () => {
  for (const text of ['..', 'a/b', 'A', 'a b', '', '-a', 'a'.repeat(64), 'a\n', 7]) {
    assert.equal(isServerId(text), false)
  }
})

test('serverIdFor() finds a name behind any number of dashes', () => {
  assert.equal(serverIdFor(`${'_'.repeat(70)}a`), 'a')
  assert.equal(serverIdFor(`${'-'.repeat(100)}Tracker`), 'tracker')
})
