import assert from 'node:assert/strict'
import test from 'node:test'
import { assertLinear } from './test-linear.ts'
import { holdsKnownToken, looksSecret } from './looks-secret.ts'

const SECRETS: readonly (readonly [string, string])[] = [
  ['GITHUB_PERSONAL_ACCESS_TOKEN', 'abc'],
  ['BRAVE_API_KEY', 'YOUR_KEY_HERE'],
  ['DB_PASSWORD', '123456'],
  ['DB_PASS', 'hunter2'],
  ['STRIPE_SECRET_KEY', 'x'],
  ['GITHUB_PAT', 'abcdef'],
  ['X-Api-Key', 'abcdef'],
  ['tavilyApiKey', 'abcdef'],
  ['AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE'],
  ['TELEGRAM_API_HASH', '0123456789abcdef0123456789abcdef'],
  ['OPENAPI_MCP_HEADERS', '{"Authorization":"Bearer ntn_abcdefgh"}'],
  ['MDB_MCP_CONNECTION_STRING', 'mongodb+srv://user:pw@cluster0.example.net/db'],
  ['REDIS_URL', 'redis://:pw@localhost:6379'],
  ['CONNECTION', 'Server=db;User Id=sa;Password=pw12;'],
  ['WHATEVER', 'ghp_0123456789abcdefghijABCDEFGHIJ012345'],
  ['WHATEVER', 'github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuV'],
  ['WHATEVER', 'xoxb-1234567890-abcdef'],
  ['WHATEVER', 'sk-ant-api03-abcdefghijklmnopqrst'],
  ['WHATEVER', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ['WHATEVER', '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0'],
  ['WHATEVER', '-----BEGIN RSA PRIVATE KEY-----\nMII'],
  ['WHATEVER', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
  ['WHATEVER', '9f86d081884c7d659a2feaa0c55ad015'],
  ['WEBHOOK_URL', 'https://hooks.slack.com/services/T0001/B0001/aB3dE6gH9jK2mN5pQ8sT'],
  ['BASE_URL', 'https://api.example.com/v1?token=abcdef'],
  ['AWS_SECRET_ACCESS_KEY', '/wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY1'],
  ['WHATEVER', 'x'.repeat(70_000)],
]

const SETTINGS: readonly (readonly [string, string])[] = [
  ['GITHUB_TOKEN', ''],
  ['LOG_LEVEL', 'debug'],
  ['DEBUG', 'true'],
  ['PORT', '8080'],
  ['MAX_TOKENS', '4096'],
  ['TOKEN_LIMIT', '100000'],
  ['AUTH_ENABLED', 'true'],
  ['PASSWORD_FILE', '/run/secrets/db_password'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/home/me/keys/service-account.json'],
  ['SSH_KEY', '~/.ssh/id_ed25519'],
  ['GITLAB_API_URL', 'https://gitlab.example.com/api/v4'],
  ['TOKEN_URL', 'https://login.example.com/oauth/token'],
  ['REDIS_URL', 'redis://localhost:6379'],
  ['DSN', 'sqlite:///home/me/data.db'],
  ['SENTRY_HOST', 'sentry.example.com'],
  ['MODEL', 'claude-3-5-sonnet-20241022'],
  ['PACKAGE', '@modelcontextprotocol/server-github@2025.4.8'],
  ['SLACK_TEAM_ID', 'T01234567'],
  ['ATLASSIAN_USER_EMAIL', 'someone@example.com'],
  ['ALLOWED', '/home/me/projects,/home/me/notes'],
  ['Notion-Version', '2022-06-28'],
  ['X-MCP-Toolsets', 'repos,issues,pull_requests'],
  ['TZ', 'Europe/Berlin'],
  ['GREETING', 'a sentence with several words in it'],
  ['API_KEY', '${API_KEY}'],
  ['API_KEY', '${input:api-key}'],
  ['API_KEY', '$API_KEY'],
  ['PGHOST', 'db.internal.example.com'],
  ['CLOUDFLARE_ACCOUNT_ID', '9f86d081884c7d659a2feaa0c55ad015'],
  ['project-id', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
  ['', '/nix/store/0c3ys2ksq5qw8a6dlv4wxcf9g5lkz3b7-nodejs/bin/node'],
  ['', 'ghcr.io/x/y@sha256:9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015'],
  ['', 'github:owner/repo#9f86d081884c7d659a2feaa0c55ad0159f86d081'],
]

for (const [name, value] of SECRETS) {
  test(`looksSecret() takes ${name}=${value.slice(0, 12)}… for a secret`, () => {
    assert.equal(looksSecret(name, value), true)
  })
}

for (const [name, value] of SETTINGS) {
  test(`looksSecret() leaves ${name}=${value.slice(0, 40)} where it is`, () => {
    assert.equal(looksSecret(name, value), false)
  })
}

test('holdsKnownToken() finds a token inside a longer text, and none in ordinary words', () => {
  assert.equal(holdsKnownToken('curl -H "X: ghp_0123456789abcdefghij" https://x'), true)
  for (const text of [
    're_index_all_tables_of_the_shop',
    'task-fc-barcelona',
    'the secret_manager_is_enabled',
    'risk-analysis-of-everything-here',
    'postgres://user@host/db',
    'postgres://user:${PW}@host/db',
  ]) {
    assert.equal(holdsKnownToken(text), false, text)
  }
})

test('looksSecret() and holdsKnownToken() run in linear time', () => {
  const pieces = [
    'sk-',
    'http://',
    ':',
    '://a:',
    '${',
    'token ',
    'password ',
    'eyJa.',
    'a.',
    '-----BEGIN ',
  ]
  assertLinear(pieces, 65_000, (text) => looksSecret('NAME', text))
  assertLinear(pieces, 2_000_000, holdsKnownToken)
})
