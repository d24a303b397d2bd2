import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountId } from './account-id.ts'

test('accountId() is the name that connecting with these words gave to the server', () => {
  for (const [words, id] of [
    ['Notion as Work', 'notion-work'],
    ['gmail as my work account', 'gmail-work'],
    ['gmail as ann@example.com', 'gmail-ann-example-com'],
    [' notion-work ', 'notion-work'],
    ['the typo as it is in line 3', 'the typo as it is in line 3'],
  ] as const) {
    assert.equal(accountId(words), id)
  }
})
