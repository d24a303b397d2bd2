import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutHeaders } from './without-headers.ts'

test('no argument is asked for as a header, and nothing else is changed', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region', description: 'Where' }
  const schema = { type: 'object', properties: { region, count: { type: 'number' }, any: true } }
  const { region: _own, ...others } = schema.properties
  assert.deepEqual(withoutHeaders({ ...schema, required: ['region'] }), {
    type: 'object',
    properties: { region: { type: 'string', description: 'Where' }, ...others },
    required: ['region'],
  })
  const plain = { type: 'object', properties: others }
  assert.equal(withoutHeaders(plain), plain)
  assert.deepEqual(withoutHeaders({ type: 'object' }), { type: 'object' })
})
