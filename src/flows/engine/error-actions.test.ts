import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallFailure, callFailed, type FailedCall } from '../../kernel/call-failure.ts'
import { backoffSeconds, type ErrorAction, ERROR_ACTIONS, failureOf } from './error-actions.ts'

const of = (reason: string) => failureOf({ kind: 'failed', reason }, 'GitHub')

test('a failed call becomes an action, the words of its server, and what Cordon can add', () => {
  const cases: readonly (readonly [string, ErrorAction, string])[] = [
    ['The request timed out', 'timeout', ''],
    [
      'API rate limit exceeded for user',
      'rate_limited',
      'GitHub API rate limit exceeded. Please try again later.',
    ],
    ['Bad credentials', 'auth_failed', 'Authentication failed. Check your GitHub token.'],
    ['403 Forbidden', 'forbidden', 'Permission denied. Check your token scopes.'],
    ['Repository not found', 'resource_missing', 'Resource not found. Check repository and query.'],
    ['Internal Server Error', 'server_error', 'GitHub server error. Please try again later.'],
    [
      'GitHub API Error: Server Error',
      'server_error',
      'GitHub server error. Please try again later.',
    ],
    ['fetch failed', 'network_error', 'GitHub could not reach what it calls.'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'network_error', 'GitHub could not reach what it calls.'],
    ['the moon is full', 'error', ''],
  ]
  for (const [reason, action, added] of cases) {
    const said = `GitHub said: ${JSON.stringify(reason)}`
    const message = added === '' ? said : `${said}. ${added}`
    assert.deepEqual(of(reason), { action, message }, reason)
  }
  assert.deepEqual(
    [...new Set(cases.map(([, action]) => action))].sort(),
    [...ERROR_ACTIONS].sort(),
  )
})

test('a server that keeps no repositories is not asked about them', () => {
  const { message } = failureOf({ kind: 'failed', reason: 'not found' }, 'Notion')
  assert.equal(message, 'Notion said: "not found"')
})

test('Cordon adds nothing that the words of the server contradict', () => {
  const files = 'Access denied - path outside allowed directories: /srv/token/403'
  assert.deepEqual(failureOf({ kind: 'failed', reason: files }, 'Files'), {
    action: 'forbidden',
    message: `Files said: "${files}"`,
  })
  const refused =
    'Get "https://10.0.0.1/api?timeout=32s": dial tcp 10.0.0.1:443: connect: connection refused (timeout=32s)'
  const { action, message } = of(refused)
  assert.equal(action, 'network_error')
  assert.ok(message.startsWith(`GitHub said: ${JSON.stringify(refused)}. `))
  assert.doesNotMatch(message, /timed out|Check your/)
  const blocked = { kind: 'failed', code: 'egress.not-allowed', reason: 'Cannot connect to "a.b"' }
  assert.deepEqual(failureOf(blocked as FailedCall, 'GitHub'), {
    action: 'network_error',
    message: 'Cannot connect to "a.b".',
  })
})

test('a token of a parser, or a key of a list, is no credential: nothing is added', () => {
  const parsed = [
    'Invalid token at line 3',
    "invalid token '<' in JSON",
    'Invalid token: <',
    'Cannot parse the query: invalid token.',
    'SyntaxError: Invalid token',
    'line 7, column 2: invalid token',
    'Invalid key "colour" in options',
    'Invalid key',
  ]
  for (const reason of parsed) {
    const message = `GitHub said: ${JSON.stringify(reason)}`
    assert.deepEqual(of(reason), { action: 'error', message }, reason)
  }
  const credentials = [
    'Invalid token',
    'Error: invalid token.',
    'Invalid token, please renew it',
    'Invalid token: it was revoked',
    'invalid key: authentication failed',
    'invalid API key',
    'Invalid access token at api.example.com',
    'expired token',
  ]
  for (const reason of credentials) assert.equal(of(reason).action, 'auth_failed', reason)
})

test('a path that a server names chooses no action', () => {
  for (const place of ['/srv/forbidden/a', './429', '~/timed out/x', 'file:///tmp/404']) {
    assert.equal(of(`Cannot parse ${place.replace(' ', '-')}`).action, 'error', place)
  }
})

test('a number that counts something is no status code: it chooses no action, and nothing is added', () => {
  const counted = [
    'Row 401 has no name',
    'Only 500 of 900 rows could be read',
    'Syntax error in line 404',
    'Page 429 of the document is empty',
    '404 rows were skipped',
    'Error: 500 rows are missing',
    'Product 403-12 is sold out',
    'Cannot parse 502.7',
    '500.5 is above the limit',
    '500/900 rows could be read',
    'unicode 404',
  ]
  for (const reason of counted) {
    const message = `GitHub said: ${JSON.stringify(reason)}`
    assert.deepEqual(of(reason), { action: 'error', message }, reason)
  }
  const denied = 'Access denied to row 403'
  assert.equal(of(denied).message, `GitHub said: "${denied}"`)
})

test('a status code is one where a word says so, or where it stands first', () => {
  const cases: readonly (readonly [string, ErrorAction])[] = [
    ['Request failed with status code 404', 'resource_missing'],
    ['HTTP/1.1 503', 'server_error'],
    ['HTTP 429', 'rate_limited'],
    ['HTTP error! status: 500', 'server_error'],
    ['HTTPStatusError 401', 'auth_failed'],
    ['the server responded with a status of 502', 'server_error'],
    ['{"statusCode":401,"text":"no"}', 'auth_failed'],
    ['{"code": 403}', 'forbidden'],
    ['error_code=429', 'rate_limited'],
    ['404', 'resource_missing'],
    ['401: Requires authentication', 'auth_failed'],
    ['401 Requires authentication', 'auth_failed'],
    ['The requested URL returned error: 503', 'server_error'],
    ['API Error (404): gone', 'resource_missing'],
  ]
  for (const [reason, action] of cases) assert.equal(of(reason).action, action, reason)
})

test('the whole text of a server is kept where its message has only a part of it', () => {
  const { said, message } = of('Line one\nLine two')
  assert.equal(said, 'Line one\nLine two')
  assert.equal(message, 'GitHub said: "Line one Line two"')
  assert.equal(of('one line').said, undefined)
  assert.equal(of(`x${'y'.repeat(900)}`).said?.length, 901)
  assert.ok((of('z '.repeat(1_000_000)).said?.length ?? 0) < 10_100)
})

test('the code of the host decides, whatever words stand beside it', () => {
  const cases: readonly (readonly [CallFailure, ErrorAction])[] = [
    ['call.timeout', 'timeout'],
    ['call.unauthorized', 'auth_failed'],
    ['call.forbidden', 'forbidden'],
    ['call.missing', 'resource_missing'],
    ['call.rate-limited', 'rate_limited'],
    ['call.server-error', 'server_error'],
    ['call.lost', 'network_error'],
    ['call.unreachable', 'network_error'],
    ['call.unusable', 'error'],
    ['call.unavailable', 'error'],
  ]
  for (const [code, action] of cases) {
    const { message, ...rest } = failureOf(callFailed(code, '404 in 429 words'), 'GitHub')
    assert.deepEqual(rest, { action }, code)
    assert.ok(/404 in 429 words\.?$/.test(message))
  }
})

test('a pause that came with the status is kept to, and never for long', () => {
  const busy = callFailed('call.rate-limited', 'Too fast')
  assert.equal(failureOf({ ...busy, retryAfterSeconds: 7 }, 'GitHub').retryAfterSeconds, 7)
  assert.equal(failureOf({ ...busy, retryAfterSeconds: 9999 }, 'GitHub').retryAfterSeconds, 60)
})

test('a server may ask for a pause, and never for a long one', () => {
  assert.equal(of('429, Retry-After: 7').retryAfterSeconds, 7)
  assert.equal(of('Rate limited. Try again in 12 seconds.').retryAfterSeconds, 12)
  assert.equal(of('rate limit, retry after 999999').retryAfterSeconds, 60)
  assert.equal(of('not found in 5 seconds').retryAfterSeconds, undefined)
})

test('the message of a server is sanitised and cut', () => {
  assert.equal(of('a\u001b[31m\u202eb').message, 'GitHub said: "a[31mb"')
  assert.ok(of('timed '.repeat(1_000_000)).message.length < 600)
})

test('waits double from one second to a minute', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 99].map(backoffSeconds),
    [1, 2, 4, 8, 16, 32, 60, 60, 60],
  )
})
