/** A host that a browser accepts may run as a command when the link is pasted into a shell. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWebPage } from '../../../src/setup/oauth/web-page.ts'
test('O1: a page whose host is no host name is shown to nobody', () => {
  for (const page of ['https:$(calc)', 'https://`id`.example/auth', 'https://a;b.example/'])
    assert.throws(() => parseWebPage(page), page)
})
