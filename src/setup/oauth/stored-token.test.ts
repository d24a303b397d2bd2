import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { renewedToken, tokenOf } from './grant.ts'
import { hasExpired, parseStoredToken, renewalTime } from './stored-token.ts'

const NOW = Date.parse('2026-01-02T03:04:05.678Z')
const SOURCE = {
  issuer: 'https://as.example',
  tokenEndpoint: 'https://as.example/token',
  client: { clientId: 'me', auth: 'none' },
} as const

test('a stored token is read back as it was written', () => {
  const grant = { access_token: 'a', token_type: 'bearer', refresh_token: 'r', expires_in: 60 }
  const token = tokenOf(grant, SOURCE, 'read', NOW)
  assert.deepEqual(parseStoredToken(JSON.stringify(token)), JSON.parse(JSON.stringify(token)))
})

test('a server that does not send a refresh token or a scope again keeps the ones it gave', () => {
  const grant = { access_token: 'a', token_type: 'bearer', refresh_token: 'r', scope: 'read' }
  const old = tokenOf(grant, SOURCE, undefined, NOW)
  const since = new Date(NOW).toISOString()
  const marked = { ...old, needs_authorization: { since, reason: 'x' } }
  const token = renewedToken(marked, { access_token: 'b', token_type: 'bearer' }, NOW)
  assert.deepEqual(
    [token.access_token, token.refresh_token, token.scope, token.needs_authorization],
    ['b', 'r', 'read', undefined],
  )
})

test('a token of another program is read, with whatever of it makes sense', () => {
  const text = '{"provider":"x","access_token":"a","refresh_token":null,"client_auth":"odd"}'
  assert.equal(parseStoredToken(text)?.access_token, 'a')
  for (const wrong of [
    '',
    '[]',
    '{"access_token":""}',
    '{"access_token":"a","expires_at":"soon"}',
  ]) {
    assert.equal(parseStoredToken(wrong), undefined)
  }
})

test('a token is renewed while it can still be used, and never in the first nine tenths of its life', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (life) => {
      const grant = { access_token: 'a', token_type: 'bearer', expires_in: life }
      const token = tokenOf(grant, SOURCE, undefined, NOW)
      const at = renewalTime(token)
      assert.ok(!hasExpired(token, at - 1))
      assert.ok(at - NOW >= life * 900 - 1)
      assert.ok(NOW + life * 1000 - at <= 60_000)
    }),
  )
})

test('a token without an end is never renewed', () => {
  const token = tokenOf({ access_token: 'a', token_type: 'bearer' }, SOURCE, undefined, NOW)
  assert.equal(renewalTime(token), Number.POSITIVE_INFINITY)
  assert.equal(hasExpired(token, Number.MAX_SAFE_INTEGER), false)
})
