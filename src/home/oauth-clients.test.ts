import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOAuthClients } from './oauth-clients.ts'

const open = (text: string | undefined) =>
  createOAuthClients(
    { read: async () => (text === undefined ? undefined : Buffer.from(text)) },
    '/c',
  )

test('a provider is found by its name, with its secret as a reference', async () => {
  const find = open('[oauth.github]\nclient_id = "abc"\nclient_secret = "vault:gh"\n')
  assert.deepEqual(await find('github'), {
    clientId: 'abc',
    secretRef: { scheme: 'vault', name: 'gh' },
  })
  assert.equal(await find('google'), undefined)
  assert.equal(await find('constructor'), undefined)
  assert.equal(await open(undefined)('github'), undefined)
  assert.equal(await open('[policy]\nx = 1')('github'), undefined)
})

test('a file that cannot be read is told without what stands in it', async () => {
  for (const text of ['[oauth.github]\nclient_id = hunter2', '[oauth.github]\nclient_id = 2']) {
    await assert.rejects(open(text)('github'), (error: Error) => {
      assert.doesNotMatch(error.message, /hunter2/)
      return 'code' in error && error.code === 'home.config'
    })
  }
  await assert.rejects(
    open('[oauth.github]\nclient_id = "a"\nclient_secret = "hunter2"')('github'),
    { code: 'kernel.secret-ref' },
  )
})
