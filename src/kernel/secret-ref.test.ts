import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from './error.ts'
import { parseSecretRef, showSecretRef } from './secret-ref.ts'

test('parseSecretRef() reads each of the four kinds and shows it again as it was', () => {
  for (const text of [
    'vault:notion_token',
    'env:GITHUB_TOKEN',
    'file:/run/token',
    'file:~/.token',
    'oauth:github',
  ]) {
    assert.equal(showSecretRef(parseSecretRef(text)), text)
  }
})

test('parseSecretRef() refuses everything else without repeating it', () => {
  const bad = [
    'ghp_abcdefghijklmnop',
    'vault:',
    'vault:a b',
    'vault:../x/',
    'env:A-B',
    'file:relative',
    'file:/a\nb',
    'http://x',
    7,
    null,
  ]
  for (const text of bad) {
    assert.throws(
      () => parseSecretRef(text),
      (error) => {
        assert.ok(error instanceof CordonError)
        assert.equal(error.code, 'kernel.secret-ref')
        assert.ok(!error.message.includes(String(text)))
        return true
      },
    )
  }
})
