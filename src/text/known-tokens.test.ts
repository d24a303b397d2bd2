import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideCredentials, hideInContent } from './hide-credentials.ts'
import { isWeakPrefix, KNOWN_TOKEN } from './known-tokens.ts'
import { holdsKnownToken, isSecretValue, looksSecret } from './looks-secret.ts'
import { MADE_UP_TOKENS } from './test-tokens.ts'

const SENTENCES = [
  (token: string) => token,
  (token: string) => `Use ${token} for it`,
  (token: string) => `{"k":"${token}"}`,
  (token: string) => `/v1/${token}`,
]

for (const [make, token] of Object.entries(MADE_UP_TOKENS)) {
  test(`a token of ${make} is a secret to whoever asks, under any name and in any sentence`, () => {
    for (const text of SENTENCES.map((sentence) => sentence(token))) {
      assert.match(text, KNOWN_TOKEN)
      assert.ok(holdsKnownToken(text), 'known')
      assert.ok(looksSecret('WHATEVER', text) && looksSecret('project-id', text), 'given')
      assert.ok(isSecretValue(text) && isSecretValue(text, 'address'), 'proposed')
      for (const hide of [hideCredentials, hideInContent]) {
        assert.ok(!hide(text).includes(token.slice(-9)), `${hide.name} leaves ${hide(text)}`)
      }
    }
  })
}

test('a prefix that begins ordinary words too needs more behind it', () => {
  for (const prefix of ['secret_', 'npm_', 'sk-', 'fc-', 're_', 'BSA']) {
    assert.ok(isWeakPrefix(prefix), prefix)
  }
  for (const prefix of ['ghp_', 'sk-ant-', 'ntn_', 'tvly-'])
    assert.ok(!isWeakPrefix(prefix), prefix)
})
