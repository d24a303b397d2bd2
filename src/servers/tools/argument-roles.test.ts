import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json, JsonObject } from '../../text/json.ts'
import type { Role } from '../../kernel/tool-facts.ts'
import { rolesOf } from './argument-roles.ts'

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const closed = (properties: JsonObject): JsonObject =>
  object(properties, { additionalProperties: false })
const text: JsonObject = { type: 'string' }

function roleOf(name: string, schema: Json = text, defs: JsonObject = {}): Role | undefined {
  return rolesOf(object({ [name]: schema }, { $defs: defs }), undefined).get(name)?.role
}

const BY_NAME: Readonly<Record<Role, readonly string[]>> = {
  content: [
    'body',
    'text',
    'emailBody',
    'note',
    'start_time',
    'dueDate',
    'location',
    'comments',
    'details',
  ],
  query: ['query', 'q', 'searchTerm', 'keywords', 'filterByFormula'],
  target: ['to', 'cc', 'recipients', 'page_id', 'path', 'file_name', 'command', 'password', 'xyz'],
  amount: ['amount', 'totalAmount', 'price_max', 'quantity'],
  locator: ['url', 'avatarURL', 'imageUrls', 'webhook', 'callback_url', 'host', 'href'],
}

test('a name says what an argument is for, whichever way it is written; any other is a target', () => {
  for (const [role, names] of Object.entries(BY_NAME)) {
    for (const name of names) assert.equal(roleOf(name), role, name)
  }
})

test('the last word decides, so that the id of a note is no note', () => {
  assert.equal(roleOf('note_id'), 'target')
  assert.equal(roleOf('message_ts'), 'target')
  assert.equal(roleOf('body_format'), 'target')
  assert.equal(roleOf('webhookIds'), 'target')
  assert.equal(roleOf('payment_id'), 'target')
  assert.equal(roleOf('price_type'), 'target')
})

test('a word that fills a page steers where the name says so', () => {
  for (const name of ['parent_comment', 'reply_to_message', 'save_location', 'output_text']) {
    assert.equal(roleOf(name), 'target', name)
  }
})

test('a schema can make a role stricter, and never weaker', () => {
  assert.equal(roleOf('note', { type: 'string', format: 'uri' }), 'locator')
  assert.equal(roleOf('body', { type: 'string', format: 'email' }), 'target')
  assert.equal(roleOf('xyz', { type: 'string', format: 'hostname' }), 'locator')
  assert.equal(roleOf('xyz', { type: 'string', format: 'date-time' }), 'target')
  assert.equal(roleOf('url', { type: 'string', format: 'uuid' }), 'locator')
})

test('only a text leads outside, and a choice is a target', () => {
  assert.equal(roleOf('link', { type: 'boolean' }), 'target')
  assert.equal(roleOf('url', { type: 'integer' }), 'target')
  assert.equal(roleOf('body', { type: 'boolean' }), 'target')
  assert.equal(roleOf('text', { enum: ['a', 'b'] }), 'target')
})

test('an object is as strict as the strictest that is in it', () => {
  assert.equal(roleOf('message', closed({ subject: text, body: text })), 'content')
  assert.equal(roleOf('message', closed({ body: text, to: text })), 'target')
  assert.equal(roleOf('stuff', closed({ body: text, link: text })), 'locator')
  assert.equal(roleOf('recipient', closed({ note: text })), 'target')
  const parts = { type: 'array', items: closed({ text }) }
  assert.equal(roleOf('parts', parts), 'content')
  assert.equal(roleOf('notes', { type: 'array', items: text }), 'content')
})

test('an object, a list or an open schema is a target', () => {
  assert.equal(roleOf('message', object({ body: text })), 'target')
  assert.equal(roleOf('message', { type: 'object' }), 'target')
  assert.equal(roleOf('message', { type: 'array' }), 'target')
  assert.equal(roleOf('message', true), 'target')
})

test('all branches of a schema are looked at, and what stands beside them', () => {
  assert.equal(roleOf('body', { anyOf: [text, { type: 'null' }] }), 'content')
  assert.equal(roleOf('body', { oneOf: [text, { type: 'string', format: 'uri' }] }), 'locator')
  const beside = { ...closed({ body: text, to: text }), anyOf: [{ required: ['to'] }] }
  assert.equal(roleOf('message', beside), 'target')
  assert.equal(roleOf('body', { $ref: '#/$defs/link' }, { link: { format: 'uri' } }), 'locator')
})

test('a schema that leads nowhere, outside or in a circle is a target', () => {
  assert.equal(roleOf('body', { $ref: '#/$defs/none' }), 'target')
  assert.equal(roleOf('body', { $ref: 'https://example.com/schema' }), 'target')
  assert.equal(roleOf('body', { $ref: '#/$defs/a' }, { a: { $ref: '#/$defs/a' } }), 'target')
  const twice = { anyOf: Array.from({ length: 50 }, () => ({ $ref: '#/$defs/a' })) }
  // Without a bound on the whole walk this schema has 50 to the power of 6 paths: every path has its own depth limit.
  assert.equal(roleOf('body', { $ref: '#/$defs/a' }, { a: twice }), 'target')
})

test('a role in the definition wins, and is reported as its source', () => {
  const schema = object({ data: text, body: text, other: text })
  const roles = rolesOf(schema, { roles: { data: 'content', later: 'amount' } })
  assert.deepEqual(
    [...roles].map(([name, { role, source }]) => [name, role, source]),
    [
      ['data', 'content', 'definition'],
      ['body', 'content', 'schema'],
      ['other', 'target', 'unknown'],
      ['later', 'amount', 'definition'],
    ],
  )
})
