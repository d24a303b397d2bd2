import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { hasPlainHeaders } from './plain-headers.ts'

const asking = (...headers: readonly Json[]): Json => ({
  type: 'object',
  properties: Object.fromEntries(
    headers.map((header, at) => [`a${at}`, { type: 'string', 'x-mcp-header': header }]),
  ),
})

test('an argument may be repeated as a header where the header is one', () => {
  assert.ok(hasPlainHeaders(undefined))
  assert.ok(hasPlainHeaders({ type: 'object', properties: { q: { type: 'string' } } }))
  assert.ok(hasPlainHeaders(asking('Region', 'Tenant-Id')))
})

test('a header with a line break, twice, of an object or deeper down makes the tool none', () => {
  assert.ok(!hasPlainHeaders(asking('A\r\nX-Evil: 1')))
  assert.ok(!hasPlainHeaders(asking('')))
  assert.ok(!hasPlainHeaders(asking(7)))
  assert.ok(!hasPlainHeaders(asking('Region', 'region')))
  const nested = { type: 'string', 'x-mcp-header': 'Region' }
  assert.ok(!hasPlainHeaders({ properties: { a: { type: 'object', 'x-mcp-header': 'Region' } } }))
  assert.ok(!hasPlainHeaders({ properties: { a: { properties: { b: nested } } } }))
  assert.ok(!hasPlainHeaders({ $defs: { b: nested } }))
})
