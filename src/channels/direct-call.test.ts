import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDirectCall } from './direct-call.ts'

test('arguments are text, numbers, booleans or JSON, quoted where they hold spaces', () => {
  assert.deepEqual(parseDirectCall('notion.search query="plan \\"B\\"" limit=3 deep=true'), {
    server: 'notion',
    tool: 'search',
    args: { query: 'plan "B"', limit: 3, deep: true },
  })
  assert.deepEqual(parseDirectCall("files.read_file path='/a b/c.txt' tags=[1,2] mode=rw"), {
    server: 'files',
    tool: 'read_file',
    args: { path: '/a b/c.txt', tags: [1, 2], mode: 'rw' },
  })
  assert.deepEqual(parseDirectCall('notion.API-get-self')?.args, {})
  assert.deepEqual(parseDirectCall('notion.search {"query": "x y"}')?.args, { query: 'x y' })
})

test('a sentence is not a call', () => {
  for (const text of [
    'search notion for the plan',
    'notion.search for the plan',
    'e.g. this one',
    'Mr.Smith wrote',
    'notion.search query="open',
    'notion.search {"query"',
    'see example.com/page for more',
    '',
  ]) {
    assert.equal(parseDirectCall(text), undefined, text)
  }
})

test('any text is answered at once, and any text can be an argument', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      parseDirectCall(text)
      const call = parseDirectCall(`a.b key=${JSON.stringify(text)}`)
      assert.deepEqual(call?.args, { key: text })
    }),
  )
})
