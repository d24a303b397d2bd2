import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json, JsonObject } from '../../text/json.ts'
import { schemaMisfit, valueMisfit } from './field-schema.ts'

function fields(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required }
}

test('schemaMisfit() takes flat fields, lists and objects of them', () => {
  const schema = fields({
    name: { type: 'string', description: 'Who' },
    kind: { enum: ['a', 'b'] },
    day: { type: ['string', 'null'], format: 'date' },
    tags: { type: 'array', items: { type: 'string' } },
    place: fields({ city: { type: 'string' } }),
  })
  assert.equal(schemaMisfit(schema), undefined)
})

test('schemaMisfit() refuses what could not be checked to the letter', () => {
  const odd: readonly JsonObject[] = [
    {},
    { type: 'array' },
    fields({ a: { type: 'text' } }),
    fields({ a: {} }),
    fields({ a: { type: 'string', pattern: '^(a+)+$' } }),
    fields({ a: { $ref: '#/' } }),
    fields({ a: { type: 'string', format: 'email' } }),
    fields({ a: { enum: [] } }),
    fields({ a: { enum: [{}] } }),
    fields({ a: 'string' }),
  ]
  for (const schema of odd)
    assert.equal(typeof schemaMisfit(schema), 'string', JSON.stringify(schema))
  let deep: JsonObject = { type: 'string' }
  for (let depth = 0; depth < 6; depth += 1) deep = { type: 'array', items: deep }
  assert.match(schemaMisfit(fields({ deep })) ?? '', /nested/)
})

test('valueMisfit() holds each type to the letter', () => {
  const cases: readonly (readonly [Json, Json, boolean])[] = [
    ['x', { type: 'string' }, true],
    [1, { type: 'string' }, false],
    [1, { type: 'integer' }, true],
    [1.5, { type: 'integer' }, false],
    [1.5, { type: 'number' }, true],
    ['1', { type: 'number' }, false],
    [true, { type: 'boolean' }, true],
    ['true', { type: 'boolean' }, false],
    ['b', { enum: ['a', 'b'] }, true],
    ['c', { enum: ['a', 'b'] }, false],
    [null, { type: ['string', 'null'] }, true],
    ['2024-02-29', { type: 'string', format: 'date' }, true],
    ['2023-02-29', { type: 'string', format: 'date' }, false],
    ['2024-02-29; rm', { type: 'string', format: 'date' }, false],
    ['2024-05-19 10:00', { type: 'string', format: 'date-time' }, true],
    ['tomorrow', { type: 'string', format: 'date-time' }, false],
    [['a'], { type: 'array', items: { type: 'string' } }, true],
    [['a', 1], { type: 'array', items: { type: 'string' } }, false],
  ]
  for (const [value, schema, isFit] of cases) {
    const misfit = valueMisfit({ f: value }, fields({ f: schema }))
    assert.equal(misfit === undefined, isFit, JSON.stringify([value, schema, misfit]))
  }
})

test('valueMisfit() wants what is required and nothing that was not asked for', () => {
  const schema = fields({ a: { type: 'string' } }, ['a'])
  assert.match(valueMisfit({}, schema) ?? '', /a is missing/)
  assert.match(valueMisfit({ a: 'x', b: 'y' }, schema) ?? '', /not asked for/)
  assert.match(valueMisfit([], schema) ?? '', /should be object/)
})

test('no answer of a model gets through that is more than its schema says', () => {
  const schema = fields({ yes: { type: 'boolean' }, pick: { enum: ['a', 'b'] } }, ['yes', 'pick'])
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (yes, pick) => {
      const isFit = valueMisfit({ yes, pick } as Json, schema) === undefined
      assert.equal(isFit, typeof yes === 'boolean' && (pick === 'a' || pick === 'b'))
    }),
  )
})
