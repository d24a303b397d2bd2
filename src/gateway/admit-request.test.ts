import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayClient } from '../ports/client-port.ts'
import { admitRequest } from './admit-request.ts'

const CLIENT: GatewayClient = { name: 'claude', taint: 'ask', createdAt: '2030-01-01T00:00:00Z' }
const GOOD = { host: '127.0.0.1:19275', authorization: 'Bearer right' }

async function statusOf(headers: Readonly<Record<string, string>>, method = 'POST') {
  const clients = { admit: async (token: string) => (token === 'right' ? CLIENT : undefined) }
  const admission = await admitRequest({ headers, method }, clients, 19_275)
  return admission.kind === 'admitted' ? 200 : admission.status
}

test('GATE-1: a request without the token of a client, of another host or of a page is refused', async () => {
  assert.equal(await statusOf(GOOD), 200)
  assert.equal(await statusOf({ ...GOOD, host: 'localhost:19275' }), 200)
  assert.equal(await statusOf({ ...GOOD, host: 'evil.example:19275' }), 403)
  assert.equal(await statusOf({ ...GOOD, host: '127.0.0.1:1' }), 403)
  for (const origin of ['http://evil.example', 'http://127.0.0.1:19275', 'null']) {
    assert.equal(await statusOf({ ...GOOD, origin }), 403)
  }
  assert.equal(await statusOf({ host: GOOD.host }), 401)
  for (const authorization of ['Bearer wrong', 'Basic right', 'right', 'Bearer right, Bearer x']) {
    assert.equal(await statusOf({ ...GOOD, authorization }), 401)
  }
  assert.equal(await statusOf(GOOD, 'PUT'), 405)
})

test('GATE-1: a website learns nothing, not even whether it has a token', async () => {
  assert.equal(await statusOf({ host: 'evil.example', authorization: 'Bearer wrong' }), 403)
})
