import assert from 'node:assert/strict'
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertLinear } from './test-linear.ts'
import { hideCredentials, hideInContent } from './hide-credentials.ts'

// Assembled at run time, so that no scanner takes this file for a leak.
const body = (length: number) => 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4'.slice(0, length)
const CREDENTIALS: Readonly<Record<string, string>> = {
  'a GitHub token': `ghp_${body(36)}`,
  'a fine-grained GitHub token': `github_pat_${body(22)}_${body(40)}`,
  'a model key': `sk-proj-${body(40)}`,
  'a Slack token': `xoxb-123456789012-${body(24)}`,
  'a Notion token': `ntn_${body(43)}`,
  'an AWS key id': ['AKIA', 'ABCDEFGH2JKLMNOP'].join(''),
  'a signed token': `eyJ${body(30)}.eyJ${body(30)}.${body(40)}`,
  'a header with a token': 'Authorization: Bearer plainlowercasetoken',
  'a header with a password': `Basic ${Buffer.from('user:open sesame').toString('base64')}`,
  'a Telegram bot token': `123456789:${body(35)}`,
  'a private key': `-----BEGIN PRIVATE KEY-----\n${body(40)}\n-----END PRIVATE KEY-----`,
  'a private key without an end': `-----BEGIN OPENSSH PRIVATE KEY-----\nabcdef`,
  'a password in an address': 'postgres://cordon:opensesame@db.example/x',
  'a password that is given': 'password=opensesame',
  'a key without a known prefix': body(32),
}

for (const [name, credential] of Object.entries(CREDENTIALS)) {
  test(`hideCredentials() hides ${name}, also inside a sentence`, () => {
    const secret = credential.replace(
      /^(?:Authorization: |Basic |password=|postgres:\/\/cordon:)/,
      '',
    )
    const core = secret.replace(/@.*$/, '').slice(-12)
    for (const hide of [hideCredentials, hideInContent]) {
      for (const text of [credential, `Use ${credential} for it`, `{"k":"${credential}"}`]) {
        assert.ok(!hide(text).includes(core), `${name} is left in the text`)
        assert.match(hide(text), /\[hidden\]/)
      }
    }
  })
}

test('hideCredentials() hides random keys in any common spelling, all but a few in a thousand', () => {
  let missed = 0
  for (let n = 0; n < 500; n += 1) {
    const key = hash('sha256', `key ${n}`, 'buffer').subarray(0, 24)
    for (const spelling of ['base64', 'base64url', 'hex'] as const) {
      const text = key.toString(spelling)
      if (hideInContent(`key ${text} end`).includes(text)) missed += 1
    }
  }
  assert.ok(missed < 15, `${missed} of 1500 random keys were not recognised`)
})

test('hideCredentials() leaves names, paths and ordinary words alone', () => {
  for (const text of [
    'notion.search_pages',
    'google-calendar.list_calendar_events',
    '/home/alice/Projects/cordon-2/mcp/github-enterprise.toml',
    'https://api.notion.com/v1/databases/query',
    'npm_registry_token',
    'principal:telegram:peer:1234567890',
    '2026-01-02T03:04:05.678Z',
    'audit-20260102T030405678Z.damaged.jsonl',
    'getUserAccountDetailsById',
    '@modelcontextprotocol/server-everything',
    'The owner did not approve it',
  ]) {
    assert.equal(hideCredentials(text), text)
    assert.equal(hideInContent(text), text)
  }
})

test('Digests and UUIDs stay in our own words and are hidden in the words of others', () => {
  for (const text of [randomBytes(32).toString('hex'), randomUUID()]) {
    assert.equal(hideCredentials(`sum ${text}`), `sum ${text}`)
    assert.equal(hideInContent(`sum ${text}`), 'sum [hidden]')
  }
})

test('hideInContent() runs in linear time', () => {
  const pieces = [
    'eyJ-',
    'sk-.',
    '-----BEGIN ',
    'a',
    ' ',
    'token: ',
    '://a:',
    'Bearer ',
    'aA',
    '1:',
  ]
  assertLinear(pieces, 2_000_000, hideInContent)
})
