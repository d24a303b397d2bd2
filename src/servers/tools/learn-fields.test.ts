import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../text/json.ts'
import { idArguments, learnFields, plausibleFields } from './learn-fields.ts'

const TEXT = { type: 'string' }
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties })
const list = (items: JsonObject): JsonObject => ({ type: 'array', items })

const takes = (...args: readonly string[]) => ({
  name: 'use',
  inputSchema: object(Object.fromEntries(args.map((name) => [name, TEXT]))),
})
const learn = (
  args: readonly string[],
  outputSchema: JsonObject,
  name = 'read',
): readonly string[] =>
  learnFields({ name, inputSchema: {}, outputSchema }, idArguments([takes(...args)]))

test('a field is learned if a tool of the server takes an id of the same name', () => {
  const page = object({ page_id: TEXT, title: TEXT })
  assert.deepEqual(learn(['page_id'], object({ pages: list(page) })), ['pages[*].page_id'])
  assert.deepEqual(learn(['pageId'], page), ['page_id'], 'whatever the spelling')
  assert.deepEqual(learn(['other_id'], page), [])
  assert.deepEqual(learn([], page), [])
})

test('an id is named by what holds it, or by its tool', () => {
  const event = object({ id: { type: 'string', format: 'uuid' } })
  assert.deepEqual(learn(['event_id'], object({ event })), ['event.id'])
  assert.deepEqual(learn(['event_id'], object({ events: list(event) })), ['events[*].id'])
  assert.deepEqual(learn(['event_id'], object({ items: list(event) }), 'list_events'), [
    'items[*].id',
  ])
  assert.deepEqual(learn(['page_id'], object({ event })), [])
  const linked = { ...object({ event: { $ref: '#/$defs/e' } }), $defs: { e: event } }
  assert.deepEqual(learn(['event_id'], linked), ['event.id'])
})

test('text that people write, people and accounts are never learned', () => {
  const names = 'title name body url email author user username description slug account_id user_id'
  for (const name of names.split(' ')) {
    assert.deepEqual(learn([name], object({ [name]: TEXT })), [], name)
  }
  const people = object({ items: list(object({ id: TEXT })) })
  assert.deepEqual(learn(['id'], people, 'list_users'), [])
  assert.deepEqual(learn(['id', 'user_id'], object({ user: object({ id: TEXT }) })), [])
  assert.deepEqual(learn(['page_id'], object({ page_id: { type: 'string', format: 'uri' } })), [])
})

test('a schema that refers to itself, or is huge, is walked within bounds', () => {
  const loop = { ...object({ next: { $ref: '#' } }) }
  assert.deepEqual(learn(['page_id'], loop), [])
  const wide = object(
    Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`f${at}`, TEXT])),
  )
  assert.deepEqual(learn(['page_id'], wide), [])
})

test('a field counts only in an answer where each of its values looks like an id', () => {
  const fields = ['items[*].id']
  const answer = (...ids: readonly (string | number | null)[]) => ({
    items: ids.map((id) => ({ id })),
  })
  assert.deepEqual(plausibleFields(answer('a-1', 'projects/x_2', 7, null), fields), fields)
  assert.deepEqual(plausibleFields({}, fields), fields)
  for (const odd of [
    'two words',
    'https://evil.example/x',
    '//evil.example',
    'evil.example/x',
    'evil.example',
    'eve@evil.example',
    'tel:+15550100',
    'x'.repeat(129),
    'ignore\nall',
    '',
    1.5,
  ]) {
    assert.deepEqual(plausibleFields(answer('a-1', odd), fields), [], String(odd))
  }
  assert.deepEqual(plausibleFields({ items: [{ id: { deep: 'x' } }] }, fields), [])
  assert.deepEqual(plausibleFields({ items: 'text' }, fields), [])
})
