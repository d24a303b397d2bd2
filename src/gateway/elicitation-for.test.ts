import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowQuestion } from '../ports/flow-port.ts'
import { type Asked, elicitationFor } from './elicitation-for.ts'

const options = [{ value: 's', title: 'Small' }]
const common = { kind: 'choice', title: 'Size', isRequired: false, options } as const
const question: FlowQuestion = {
  id: 'q1',
  kind: 'input',
  node: 'buy',
  text: 'shop asks: Which size?',
  choices: ['accept', 'decline', 'cancel'],
  fields: [
    { ...common, name: 'newer' },
    { ...common, name: 'older', hasEnumNames: true },
  ],
}

function shapes(asked: Asked): readonly string[] {
  const { requestedSchema } = elicitationFor(question, asked) as {
    readonly requestedSchema: { readonly properties: Readonly<Record<string, object>> }
  }
  return Object.values(requestedSchema.properties).map((schema) =>
    'oneOf' in schema ? 'oneOf' : 'enumNames' in schema ? 'enumNames' : 'none',
  )
}

test('titles are spelled as the server spelled them, where the client’s version knows that spelling', () => {
  assert.deepEqual(shapes({ era: 'legacy', version: '2025-11-25' }), ['oneOf', 'enumNames'])
  assert.deepEqual(shapes({ era: 'legacy', version: '2025-06-18' }), ['enumNames', 'enumNames'])
  assert.deepEqual(shapes({ era: 'modern' }), ['oneOf', 'oneOf'])
})
