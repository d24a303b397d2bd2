import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainsIn, oddities } from './odd-addresses.ts'

test('domainsIn() names who stands behind each address', () => {
  assert.deepEqual(domainsIn('write to eve@evil.example, or bob@work.example.'), [
    'evil.example',
    'work.example',
  ])
  assert.deepEqual(domainsIn('https://bank.example@evil.example/login?x=1'), ['evil.example'])
  assert.deepEqual(domainsIn('ftp://a.example/x and https://a.example:8443/'), ['a.example'])
  assert.deepEqual(domainsIn('nothing here'), [])
})

test('oddities() decodes punycode and says what it can be taken for', () => {
  const [shown, taken] = oddities('https://xn--80ak6aa92e.com/', true)
  assert.match(shown ?? '', /"xn--80ak6aa92e\.com" is shown as "аррӏе\.com"/)
  assert.match(taken ?? '', /written in Cyrillic letters and can be taken for "appie"/)
})

test('oddities() notices mixed alphabets, look-alikes and what cannot be seen', () => {
  assert.match(oddities('pаypal', true).join(), /mixes Latin and Cyrillic letters/)
  assert.match(oddities('ceo@gооgle.com', false).join(), /mixes Latin and Cyrillic letters/)
  assert.match(oddities('acc\u3164ount', true).join(), /cannot be seen/)
  assert.match(oddities('acc\u200dount', true).join(), /cannot be seen/)
  assert.match(oddities('https://bank.example@evil.example/', false).join(), /names a user before/)
})

test('oddities() leaves ordinary words of any language alone', () => {
  for (const word of [
    'Müller',
    'Привет, мир',
    'anna@example.com',
    'https://example.org/@me',
    '東京',
  ]) {
    assert.deepEqual(oddities(word, true), [], word)
  }
})

test('SERVER-2: a long text without an end to its words is read once, not once per letter', () => {
  const long = 1_000_000
  assert.deepEqual(domainsIn('a'.repeat(long)), [])
  assert.deepEqual(domainsIn(`a@${'.'.repeat(long)}b`), [`${'.'.repeat(long)}b`])
})
