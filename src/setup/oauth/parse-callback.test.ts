import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCallback } from './parse-callback.ts'

test('the address at which a browser ended is recognised, however it was copied', () => {
  const whole = 'http://127.0.0.1:4711/oauth/callback?code=c&state=s'
  for (const text of [
    whole,
    ` ${whole}\n`,
    '127.0.0.1:4711/oauth/callback?code=c&state=s',
    'localhost:4711/back?error=access_denied&state=s',
    'com.example:/back?code=c&state=s',
    'http://127.0.0.1:4711/oauth/callback', // cut short: not for anything else either
  ]) {
    assert.ok(parseCallback(text), text)
  }
  assert.equal(parseCallback('127.0.0.1:4711/oauth/callback?code=c&state=s')?.href, whole)
})

test('other text is no callback', () => {
  for (const text of [
    '',
    'hello',
    'sk-123456789012345678901234567890',
    'https://example.com/?state=open',
    'see http://127.0.0.1:4711/oauth/callback?code=c&state=s',
    `http://127.0.0.1/?code=c&state=${'s'.repeat(9000)}`,
  ]) {
    assert.equal(parseCallback(text), undefined, text)
  }
})
