import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { judgeAnswer } from './judge-answer.ts'

const failed = (reason: string): string => judgeAnswer({ kind: 'failed', reason }).kind
const ok = (value: Json): ReturnType<typeof judgeAnswer> => judgeAnswer({ kind: 'ok', value })

test('judgeAnswer() tells a refused credential from every other failure', () => {
  for (const reason of [
    'Request failed with status code 401',
    'HTTP 403',
    'Unauthorized',
    'API token is invalid.',
    'invalid_auth',
    "routine: 'auth_failed'",
    'Bad credentials',
    'Check your API key.',
    'The access token has expired',
    'Invalid API key provided',
    'token_revoked',
  ]) {
    assert.equal(failed(reason), 'unauthorized', reason)
  }
  for (const reason of [
    'Request failed with status code 500',
    'Rate limited. Try again in 30 seconds.',
    'Proxy response (403) !== 200 when HTTP Tunneling',
    'getaddrinfo ENOTFOUND api.notion.com',
    'There are 4010 pages and no token of appreciation',
    'Cannot read properties of undefined',
  ]) {
    assert.equal(failed(reason), 'failed', reason)
  }
})

test("judgeAnswer() goes by Cordon's own code where there is one, and not by the words beside it", () => {
  const coded = (code: string): string =>
    judgeAnswer({ kind: 'failed', code, reason: 'the token is invalid (401)' }).kind
  assert.equal(coded('call.unauthorized'), 'unauthorized')
  assert.equal(coded('servers.unauthorized'), 'unauthorized')
  assert.equal(coded('vault.expired'), 'unauthorized')
  assert.equal(coded('call.timeout'), 'failed')
  assert.equal(coded('vault.locked'), 'failed')
})

test('judgeAnswer() sees an error that calls itself a result', () => {
  const text =
    '{"status":401,"object":"error","code":"unauthorized","message":"API token is invalid."}'
  assert.deepEqual(ok([{ type: 'text', text }]), {
    kind: 'unauthorized',
    reason: 'API token is invalid.',
  })
  assert.deepEqual(ok({ ok: false, error: 'invalid_auth' }), {
    kind: 'unauthorized',
    reason: 'invalid_auth',
  })
  assert.equal(ok({ status: 'error', message: 'The database is down' }).kind, 'failed')
  assert.equal(ok({ error: { message: 'Unauthorized' } }).kind, 'unauthorized')
})

test('judgeAnswer() believes everything else', () => {
  for (const value of [{ object: 'user' }, { status: 200 }, { error: null }, [], 'fine', null]) {
    assert.equal(ok(value).kind, 'good')
  }
  assert.equal(ok([{ type: 'text', text: 'Error handling is a page of yours' }]).kind, 'good')
  assert.equal(ok([{ type: 'text', text: '{not json' }]).kind, 'good')
})

test('judgeAnswer() reads the beginning of an endless answer', () => {
  assert.equal(failed(`unauthorized ${'x '.repeat(100_000)}`), 'unauthorized')
  assert.equal(failed(`${'x '.repeat(2000)} unauthorized`), 'failed')
})
