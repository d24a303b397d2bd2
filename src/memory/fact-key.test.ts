import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factKey } from './fact-key.ts'

const isSame = (a: string, b: string) => factKey(a).key === factKey(b).key

test('facts about the same subject have the same key, however they are spelled', () => {
  for (const [a, b] of [
    ['my dentist is Dr. Adeyemi', 'My  dentist is Dr. Osei'],
    ['the wifi is called lab', 'wifi is called kitchen'],
    ['standup: 9:30', 'the standup is 10:00'],
    ['I live in Lyon', 'i live in Paris'],
    ['I work for Acme', 'I work at Globex'],
    ['my kids are Ana and Bo', 'my kids are Ana, Bo and Cy'],
  ] as const)
    assert.ok(isSame(a, b), `${a} / ${b}`)
})

test('facts that can both be true have different keys', () => {
  for (const [a, b] of [
    ['I am vegetarian', 'I am allergic to nuts'],
    ['my dentist is Dr. Adeyemi', 'my dentist is in Lyon'],
    ['my dentist is Dr. Adeyemi', "my dentist's phone number is 030 1234"],
    ['my dentist is Dr. Adeyemi', 'my doctor is Dr. Adeyemi'],
    ['it is late', 'it is green'],
  ] as const)
    assert.ok(!isSame(a, b), `${a} / ${b}`)
})

test('a sentence without a verb of being is its own key', () => {
  assert.deepEqual(factKey('Ann likes tea.'), { key: 'text:ann likes tea' })
  assert.ok(isSame('Ann likes tea', 'ann likes tea!'))
})
