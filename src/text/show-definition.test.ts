import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from './json.ts'
import { showDefinition } from './show-definition.ts'

test('a definition is shown whole, in the order of its keys, and no text passes for a part of it', () => {
  const definition = {
    name: 'search',
    inputSchema: { type: 'object', required: ['q'], properties: {} },
    description: 'Looks\n"inputSchema": {}\u001b[2J',
  }
  assert.deepEqual(showDefinition(definition), [
    '"description":',
    '  | Looks',
    '  | \\"inputSchema\\": {}\\u001b[2J',
    '"inputSchema":',
    '  "properties": {}',
    '  "required":',
    '    - "q"',
    '  "type": "object"',
    '"name": "search"',
  ])
})

test('a character that cannot be seen differs from the text that spells it', () => {
  for (const hidden of ['\u001b', '\u009b', '\u202e']) {
    const spelled = `\\u${hidden.charCodeAt(0).toString(16).padStart(4, '0')}`
    assert.notDeepEqual(showDefinition({ a: hidden }), showDefinition({ a: spelled }))
    assert.notDeepEqual(showDefinition(`x\n${hidden}`), showDefinition(`x\n${spelled}`))
  }
})

test('two definitions that differ are shown differently, and never more than one line at a time', () => {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [left, right] = [showDefinition({ a }), showDefinition({ a: b })]
      assert.ok([...left, ...right].every((line) => !line.includes('\n')))
      const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
      assert.equal(left.join('\n') === right.join('\n'), isSame)
    }),
  )
})

function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]): [string, Json] => [key, sorted(item)]))
}
