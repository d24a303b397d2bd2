import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffSeconds, type ErrorAction, ERROR_ACTIONS, failureOf } from './actions.ts'

const of = (reason: string) => failureOf({ kind: 'failed', reason }, 'GitHub')

test('a failed call becomes an action and a sentence with the name of its server', () => {
  const cases: readonly (readonly [string, ErrorAction, string])[] = [
    ['Tool call timed out after 30s', 'timeout', 'Request timed out. Please try again.'],
    [
      'Authentication failed. Check your API key.',
      'auth_failed',
      'Authentication failed. Check your GitHub token.',
    ],
    [
      'The server answered with HTTP status 429',
      'rate_limited',
      'GitHub API rate limit exceeded. Please try again later.',
    ],
    [
      'API rate limit exceeded for user',
      'rate_limited',
      'GitHub API rate limit exceeded. Please try again later.',
    ],
    ['Bad credentials', 'auth_failed', 'Authentication failed. Check your GitHub token.'],
    ['403 Forbidden', 'forbidden', 'Permission denied. Check your token scopes.'],
    [
      'The server answered with HTTP status 404',
      'resource_missing',
      'Resource not found. Check repository and query.',
    ],
    ['Repository not found', 'resource_missing', 'Resource not found. Check repository and query.'],
    [
      'The server answered with HTTP status 503',
      'server_error',
      'GitHub server error. Please try again later.',
    ],
    ['Internal Server Error', 'server_error', 'GitHub server error. Please try again later.'],
    [
      'GitHub API Error: Server Error',
      'server_error',
      'GitHub server error. Please try again later.',
    ],
    ['fetch failed', 'network_error', 'Network error. Check your connection.'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'network_error', 'Network error. Check your connection.'],
    [
      'The server ended while it worked on the call: it exited with code 1',
      'network_error',
      'Network error. Check your connection.',
    ],
    ['the moon is full', 'error', 'MCP error: the moon is full'],
  ]
  for (const [reason, action, message] of cases) {
    assert.deepEqual(of(reason), { action, message }, reason)
  }
  assert.deepEqual(
    [...new Set(cases.map(([, action]) => action))].sort(),
    [...ERROR_ACTIONS].sort(),
  )
})

test('a server that keeps no repositories is not asked about them', () => {
  const { message } = failureOf({ kind: 'failed', reason: 'not found' }, 'Notion')
  assert.equal(message, 'Resource not found. Check what was asked for.')
})

test('what the host says of a call counts before words of the server in it', () => {
  assert.equal(of('Tool call timed out after 30s (429)').action, 'timeout')
  assert.equal(of('The server answered with HTTP status 500').action, 'server_error')
})

test('a server may ask for a pause, and never for a long one', () => {
  assert.equal(of('429, Retry-After: 7').retryAfterSeconds, 7)
  assert.equal(of('Rate limited. Try again in 12 seconds.').retryAfterSeconds, 12)
  assert.equal(of('rate limit, retry after 999999').retryAfterSeconds, 60)
  assert.equal(of('not found in 5 seconds').retryAfterSeconds, undefined)
})

test('what a server says is cleaned and cut, however long it is', () => {
  assert.equal(of('a\u001b[31m\u202eb').message, 'MCP error: a[31mb')
  assert.ok(of('timed '.repeat(1_000_000)).message.length < 600)
})

test('waits double from one second to a minute', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 99].map(backoffSeconds),
    [1, 2, 4, 8, 16, 32, 60, 60, 60],
  )
})
