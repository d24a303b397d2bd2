import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretInfo } from '../kernel/vault-status.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseSecretRef } from '../kernel/secret-ref.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { type AccountDeps, createAccounts } from './create-accounts.ts'

const SERVER = parseServerId('notes')

function accountWith(refs: readonly string[], updatedAt: string, startedAt?: string) {
  const auth = Object.fromEntries(refs.map((ref, at) => [`KEY_${at}`, parseSecretRef(ref)]))
  const names = ['acct', 'oauth/notes']
  const secrets = names.map((name): SecretInfo => {
    return { name, createdAt: '2030-01-01T00:00:00.000Z', updatedAt, damaged: false }
  })
  const deps = {
    owner: OWNER.id,
    definitions: { load: async () => ({ servers: [{ definition: { id: SERVER, auth } }] }) },
    vault: { list: async () => secrets },
    servers: { states: async () => [{ server: SERVER, startedAt }] },
  }
  return createAccounts(deps as unknown as AccountDeps)(SERVER)
}

const [THEN, NOW, LATER] = ['2030-01-01T00:00', '2030-01-02T00:00', '2030-01-03T00:00'] as const

test('a credential that was replaced is another account, and one without any is always the same', async () => {
  for (const ref of ['vault:acct', 'oauth:notes']) {
    assert.notEqual(await accountWith([ref], THEN), await accountWith([ref], NOW))
    assert.equal(await accountWith([ref], NOW), await accountWith([ref], NOW))
  }
  assert.equal(await accountWith([], NOW), '')
})

test('an account that may change unseen, or is not the one the running server has, is not known', async () => {
  assert.equal(await accountWith(['env:TOKEN'], NOW), undefined)
  assert.equal(await accountWith(['vault:acct', 'file:/etc/token'], NOW), undefined)
  assert.equal(await accountWith(['vault:gone'], NOW), undefined)
  assert.equal(
    await accountWith(['vault:acct'], NOW, THEN),
    undefined,
    'started with the one before',
  )
  assert.notEqual(await accountWith(['vault:acct'], NOW, LATER), undefined)
})
