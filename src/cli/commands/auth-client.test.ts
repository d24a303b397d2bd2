import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answers, runFake } from '../fake-surface.ts'

const status = { state: 'unlocked', secrets: 0, warnings: [] } as const
const kept: Answers = {
  'vault.status': async () => status,
  'vault.set': async ({ name }) => ({ name, replaced: false }),
}

test('a client id is asked for once and kept in the vault, its secret too if it has one', async () => {
  const both = await runFake(['auth', 'client', 'google'], kept, { typed: 'my-id\nhush\n' })
  assert.deepEqual(both.calls.slice(1), [
    ['vault.set', { name: 'oauth-app/google/id', value: 'my-id' }],
    ['vault.set', { name: 'oauth-app/google/secret', value: 'hush' }],
  ])
  assert.doesNotMatch(both.stdout + both.stderr, /hush/)
  const one = await runFake(['auth', 'client', 'github', '--no-secret'], kept, { typed: 'id\n' })
  assert.deepEqual(one.calls.slice(1), [
    ['vault.set', { name: 'oauth-app/github/id', value: 'id' }],
  ])
})

test('a name that is no provider is refused before anything is asked', async () => {
  const { code, calls } = await runFake(['auth', 'client', '../x'], kept, { typed: 'id\n' })
  assert.deepEqual([code, calls.length], [2, 0])
})

test('nothing is asked for that could not be kept', async () => {
  const closed: Answers = {
    'vault.status': async () => ({ state: 'absent', secrets: 0, warnings: [] }),
  }
  const { code, stderr } = await runFake(['auth', 'client', 'github'], closed, { typed: 'id\n' })
  assert.equal(code, 4)
  assert.match(stderr, /cordon vault init/)
})
