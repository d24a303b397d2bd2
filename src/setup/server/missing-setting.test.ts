import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingSetting } from './missing-setting.ts'

const NONE: ReadonlySet<string> = new Set()

for (const [words, name] of [
  ['it exited with code 1; it last said: Error: SEARXNG_URL not set', 'SEARXNG_URL'],
  ['it last said: Please set the BRAVE_API_KEY environment variable', 'BRAVE_API_KEY'],
  ['Missing required environment variables: N8N_API_URL, N8N_API_KEY', 'N8N_API_URL'],
  ['Using DATABASE_NAME | OPENAI_API_KEY must be set', 'OPENAI_API_KEY'],
  ['Error: NODE_OPTIONS is required', undefined],
  ['code MODULE_NOT_FOUND is missing', undefined],
  ['Error: ERR_MISSING_ARGS is required', undefined],
  ['HTTPS_PROXY is not set', undefined],
  ['listening with LOG_LEVEL info', undefined],
] as const) {
  test(`missingSetting() finds ${name ?? 'nothing'} in ${JSON.stringify(words)}`, () => {
    assert.equal(missingSetting(words, NONE), name)
  })
}

test('missingSetting() passes over what the server was given', () => {
  const words = 'Missing required environment variables: A_URL, A_KEY'
  assert.equal(missingSetting(words, new Set(['A_URL'])), 'A_KEY')
  assert.equal(missingSetting(words, new Set(['A_URL', 'A_KEY'])), undefined)
})
