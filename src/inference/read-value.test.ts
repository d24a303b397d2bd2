import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../text/json.ts'
import { readValue } from './read-value.ts'

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'object', required: ['n'] } } },
  required: ['items'],
}

function problem(text: string, schema: JsonObject = SCHEMA): string | undefined {
  const reading = readValue(text, { schema })
  return reading.kind === 'misfit' ? reading.problem : undefined
}

test('an answer is one JSON value that fits, in a code block or not', () => {
  assert.equal(problem('{"items":[]}'), undefined)
  assert.equal(problem('```json\n{"items":[{"n":1}]}\n```'), undefined)
})

test('the reason names the place and never quotes the answer', () => {
  assert.equal(problem('Sure! Here is the plan'), 'it is not one JSON value')
  assert.match(problem('{"items":[{"secret":1}]}') ?? '', /^items\.0 breaks the rule "required"/)
  assert.match(problem('{}') ?? '', /^the answer breaks the rule "required"/)
  assert.match(problem('['.repeat(40) + ']'.repeat(40)) ?? '', /too deeply/)
  const further = readValue('{"items":[]}', { schema: SCHEMA, misfit: () => 'items is empty' })
  assert.deepEqual(further, { kind: 'misfit', problem: 'items is empty' })
})

test('a date without a time zone is left to the caller', () => {
  const dated: JsonObject = { type: 'object', properties: { at: { format: 'date-time' } } }
  assert.equal(problem('{"at":"2024-05-15T14:00"}', dated), undefined)
})

test('a pattern that could take for ever is not run; a field of that name is checked', () => {
  const hostile: JsonObject = {
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^(a+)+$' },
      n: { enum: [{ pattern: 'x' }] },
    },
    patternProperties: { '^(a+)+$': false },
  }
  const text = JSON.stringify({ pattern: `${'a'.repeat(50)}!`, n: { pattern: 'x' } })
  assert.equal(problem(text, hostile), undefined)
  assert.match(problem('{"pattern":1}', hostile) ?? '', /^pattern breaks the rule "type"/)
})
