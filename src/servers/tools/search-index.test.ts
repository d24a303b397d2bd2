import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSearchIndex, type IndexedTool } from './search-index.ts'

const tools: readonly IndexedTool[] = [
  { server: 'mail', name: 'send_email', text: 'Send a message to somebody' },
  { server: 'mail', name: 'deleteMessage', text: 'Remove one message for good' },
  { server: 'calendar', name: 'create-event', text: 'Put something into the calendar' },
  { server: 'files', name: 'list_directory', text: '' },
  { server: 'notes', name: 'list_pages', text: 'All pages, newest first' },
]
const index = createSearchIndex(tools)
const firstFor = (words: string): string | undefined => tools[index.search(words, 5)[0] ?? -1]?.name

test('tools are found by the words of their names, however those are written', () => {
  assert.equal(firstFor('create event'), 'create-event')
  assert.equal(firstFor('delete message'), 'deleteMessage')
  assert.equal(firstFor('Listing Directories'), 'list_directory')
})

test('tools are found by other words for the same thing', () => {
  assert.equal(firstFor('new appointment'), 'create-event')
  assert.equal(firstFor('erase e-mail'), 'deleteMessage')
  assert.equal(firstFor('folder'), 'list_directory')
})

test('the name of a server counts', () => {
  assert.equal(firstFor('list notes'), 'list_pages')
})

test('a query that matches nothing finds nothing, and there are never more results than asked for', () => {
  assert.deepEqual(index.search('zebra', 5), [])
  assert.deepEqual(index.search('', 5), [])
  assert.equal(index.search('list send create delete', 2).length, 2)
  assert.deepEqual(createSearchIndex([]).search('list', 5), [])
})

test('a text that repeats every word is not found first', () => {
  const stuffed = { server: 'x', name: 'x', text: 'send email '.repeat(100) }
  const all = [stuffed, ...tools]
  assert.equal(all[createSearchIndex(all).search('send email', 1)[0] ?? -1]?.name, 'send_email')
})
