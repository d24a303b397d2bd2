import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../text/json.ts'
import { claimOf, isClaimedRead } from './claim-of.ts'

const claim = (
  name: string,
  annotations: JsonObject = {},
  properties: JsonObject = {},
  description = '',
) => claimOf({ name, annotations, inputSchema: { type: 'object', properties }, description })
const READ_ONLY = { readOnlyHint: true }
const TEXT = { type: 'string' }

test('a tool claims to read by its hint or by the verb of its name', () => {
  for (const name of [
    'get_page',
    'listEvents',
    'slack_list_channels',
    'message-search',
    'kv_get',
  ]) {
    assert.deepEqual([claim(name).says, claim(name).doubt], ['read', undefined], name)
  }
  const hinted = claim('weather', READ_ONLY)
  assert.deepEqual(hinted, { says: 'read', because: 'its server says that it only reads' })
})

test('a noun that is a verb elsewhere contradicts nothing after a reading verb', () => {
  const names = ['get_comment', 'list_runs', 'get_order', 'list_merge_requests', 'search_updates']
  for (const name of names) assert.equal(claim(name, READ_ONLY).doubt, undefined, name)
})

test('a claim to read is doubted where name, schema or description say otherwise', () => {
  const doubts: readonly (readonly [ReturnType<typeof claim>, RegExp])[] = [
    [claim('create_page', READ_ONLY), /name says "create"/],
    [claim('run_report', READ_ONLY), /name says "run"/],
    [claim('pay_invoice', READ_ONLY), /name says "pay"/],
    [claim('get_or_create_page'), /name says "create"/],
    [claim('find_and_replace'), /name says "replace"/],
    [claim('get', READ_ONLY, { body: TEXT }), /argument "body" gives it something/],
    [claim('get', READ_ONLY, { recipients: { type: 'array' } }), /argument "recipients"/],
    [claim('get', READ_ONLY, { amount: { type: 'number' } }), /argument "amount"/],
    [claim('query', {}, { sql: TEXT }), /"sql" can hold something to run/],
    [claim('get', READ_ONLY, { force: { type: 'boolean' } }), /"force" is for a change/],
    [claim('get', {}, { action: { enum: ['list', 'delete'] } }), /"action" can be "delete"/],
    [claim('get', READ_ONLY, {}, 'Sends the page to somebody'), /begins with "sends"/],
    [claim('d1_query', {}, {}, 'Runs SQL in a database'), /SQL/],
    [claim('get', { ...READ_ONLY, destructiveHint: true }), /cannot be taken back/],
  ]
  for (const [found, doubt] of doubts) {
    assert.equal(found.says, 'read')
    assert.match(found.doubt ?? '', doubt)
  }
  assert.equal(claim('get', READ_ONLY, { include_content: { type: 'boolean' } }).doubt, undefined)
})

test('a change is a write, or cannot be undone, by its verb; and a tool that says nothing stays asked', () => {
  const said = (name: string, annotations: JsonObject = {}, properties: JsonObject = {}) =>
    claim(name, annotations, properties).says
  assert.equal(said('create_page'), 'write')
  assert.equal(said('send_message'), 'write')
  assert.equal(said('delete_page'), 'destructive')
  assert.equal(said('pay'), 'destructive')
  assert.equal(said('deploy_worker'), 'destructive')
  assert.equal(said('run_command'), 'exec')
  assert.equal(said('update', { destructiveHint: true }), 'destructive')
  assert.equal(said('manage', {}, { action: { enum: ['list', 'purge'] } }), 'destructive')
  assert.equal(said('frobnicate', { readOnlyHint: false, destructiveHint: false }), 'write')
  const mute = claim('frobnicate')
  assert.deepEqual([mute.says, mute.doubt], ['destructive', mute.because])
  assert.equal(claim('get_page', { readOnlyHint: false }).says, 'destructive')
})

test('only an undoubted read chooses the words of a question', () => {
  const tool = { inputSchema: {}, annotations: READ_ONLY }
  assert.equal(isClaimedRead({ ...tool, name: 'get' }), true)
  assert.equal(isClaimedRead({ ...tool, name: 'delete' }), false)
  assert.equal(isClaimedRead({ ...tool, name: 'create' }), false)
})
