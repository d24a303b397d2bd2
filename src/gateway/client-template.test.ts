import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayClient } from '../ports/client-port.ts'
import { createSession } from './client-session.ts'
import { clientTemplate, isClientTemplate, readClientTemplate } from './client-template.ts'

const CLIENT: GatewayClient = {
  name: 'claude',
  taint: 'ask',
  createdAt: '2026-01-02T03:04:05.678Z',
}

const read = (name: string, client?: GatewayClient) =>
  readClientTemplate(
    { clients: { find: () => client }, contexts: { membersOf: async () => assert.fail() } },
    name,
  )

test('GATE-7: a run has the limits of the client that began it, and none once that is removed', async () => {
  for (const isSavedFlow of [false, true]) {
    const name = clientTemplate(createSession(CLIENT), isSavedFlow)
    assert.ok(isClientTemplate(name))
    const template = await read(name, CLIENT)
    assert.equal(template?.name, 'client claude')
    assert.equal(template.allowed.includes('~model.*'), isSavedFlow)
    assert.equal(await read(name), undefined)
    assert.equal(await read(name, { ...CLIENT, createdAt: 'later' }), undefined)
  }
})

test('a run that an earlier version began names no registration', async () => {
  assert.equal((await read('client:claude', CLIENT))?.name, 'client claude')
  assert.ok((await read('client:claude:saved', CLIENT))?.allowed.includes('~model.*'))
})
