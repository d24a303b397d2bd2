import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rounds } from '../kernel/test-rounds.ts'
import { OWN_WORDS, type Label } from '../labels/label.ts'
import { assertLinear } from '../text/test-linear.ts'
import { guardLinks } from './guard-links.ts'

const theirs: Label = { integrity: 'external', level: 'internal', origins: new Set(['web']) }

const guard = (text: string, words = ''): unknown =>
  guardLinks(text, { label: theirs }, { words }).value

// Regression 12
test('POLICY-3: addresses in words of others can be read and not followed', () => {
  assert.equal(guard('See https://evil.example/a?b=c now'), 'See hxxps://evil[.]example/a?b=c now')
  assert.equal(guard('HTTP://Evil.example'), 'hxxp://Evil[.]example')
  assert.equal(guard('![x](https://evil.example/p.png)'), '![x](hxxps://evil[.]example/p[.]png)')
  assert.equal(guard('go to www.evil.example.'), 'go to www[.]evil[.]example.')
  assert.equal(guard('write to eve@evil.example today'), 'write to eve[at]evil[.]example today')
})

test('account and telephone numbers in words of others are left out', () => {
  assert.equal(guard('IBAN: GB29 NWBK 6016 1331 9268 19!'), 'IBAN: [account number left out]!')
  assert.equal(guard('IBAN: US133000000121212121212'), 'IBAN: [account number left out]')
  assert.equal(guard('call +44 20 7946 0958 now'), 'call [telephone number left out] now')
})

test('ordinary words stay as they are', () => {
  const plain = 'On 2024-05-15 at 10:00, 3 of 4. Version 1.2.3 costs 12,000.50 (A1B2C3).'
  assert.equal(guard(plain), plain)
})

test('links that the owner wrote in the request are left as they are', () => {
  const words = 'send https://mine.example/x to bob@mine.example'
  assert.equal(
    guard('at https://mine.example/x, bob@mine.example', words),
    'at https://mine.example/x, bob@mine.example',
  )
  assert.equal(guard('https://mine.example/x2', words), 'hxxps://mine[.]example/x2')
})

test('POLICY-3: a link is found however it is written', () => {
  const links = [
    'evil.example/?d=x',
    'https:evil.example/x',
    'https:\\\\evil.example',
    'javascript:alert(1)',
    'tg://resolve?domain=evil',
    'h\u200bttps://evil.example/x',
    'eve\uff20evil.example',
    'https&colon;//evil.example',
    '//evil.example/p.png',
    'gb29-nwbk-6016-1331-9268-19',
    '0049 30 1234 5678',
  ]
  for (const link of links) assert.notEqual(guard(`see ${link} now`), `see ${link} now`, link)
  assert.equal(guard('bob@mine.example', 'write to notbob@mine.example'), 'bob[at]mine[.]example')
})

test('in a text of both only the words of others are changed', () => {
  const text = 'mine: http://a.example theirs: http://b.example'
  const start = text.indexOf('theirs')
  const spans = [{ start, end: text.length, label: theirs }]
  assert.equal(
    guardLinks(text, { label: OWN_WORDS, spans }, { words: '' }).value,
    'mine: http://a.example theirs: hxxp://b[.]example',
  )
})

test('every text in lists and objects is looked at, each by its own label', () => {
  const value = { own: 'http://a.example', list: ['http://b.example', 7, null] }
  const tree = { label: theirs, members: new Map([['own', { label: OWN_WORDS }]]) }
  assert.deepEqual(guardLinks(value, tree, { words: '' }).value, {
    own: 'http://a.example',
    list: ['hxxp://b[.]example', 7, null],
  })
})

test('links are made harmless in linear time', () => {
  assertLinear(['a@', 'http://', 'A1', '+1 ', 'a.'], rounds(2_000_000, 250_000), guard)
})
