import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { typeNamed } from '../../text/type-named.ts'
import { fits, isOfType, itemTypeOf, typeOfSchema } from './value-type.ts'

test('types are read out of JSON Schema as servers write it', () => {
  assert.equal(typeOfSchema({ type: 'string' }), 'string')
  assert.equal(typeOfSchema({ type: ['integer', 'null'] }), 'integer|null')
  assert.equal(typeOfSchema({ type: 'array', items: { type: 'string' } }), 'string[]')
  assert.equal(typeOfSchema({ type: 'array', items: { type: ['string', 'null'] } }), 'array')
  assert.equal(typeOfSchema({ enum: ['a', 'b'] }), 'string')
  assert.equal(typeOfSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] }), 'string|null')
  assert.equal(typeOfSchema({ properties: {} }), 'object')
  for (const odd of [true, null, {}, { type: 'banana' }, { type: 7 }, undefined]) {
    assert.equal(typeOfSchema(odd), 'any')
  }
  assert.equal(typeNamed('str | None'), 'any')
  assert.equal(typeNamed('list'), 'array')
  assert.equal(itemTypeOf('string[][]'), 'string[]')
})

test('a value fits always, perhaps or never', () => {
  const table: readonly (readonly [string, string, string])[] = [
    ['string', 'string', 'always'],
    ['integer', 'number', 'always'],
    ['number', 'integer', 'perhaps'],
    ['string', 'integer', 'never'],
    ['integer', 'string', 'never'],
    ['string', 'string|null', 'always'],
    ['string|null', 'string', 'perhaps'],
    ['any', 'string', 'perhaps'],
    ['string[]', 'array', 'always'],
    ['array', 'string[]', 'perhaps'],
    ['integer[]', 'string[]', 'never'],
    ['integer[]', 'number[]', 'always'],
    ['string', 'array', 'never'],
    ['object', 'string[]', 'never'],
  ]
  for (const [from, to, answer] of table) assert.equal(fits(from, to), answer, `${from} → ${to}`)
})

test('a value is of a type, or a text that spells the structure that is wanted', () => {
  const right: readonly (readonly [Json, string])[] = [
    [1, 'integer'],
    [1, 'number'],
    [1.5, 'number'],
    ['a', 'string|null'],
    [null, 'string|null'],
    [[1, 2], 'integer[]'],
    [[], 'integer[]'],
    [[1, 'a'], 'array'],
    [[['a']], 'string[][]'],
    [{}, 'any'],
    ['["a"]', 'string[]'],
    ['{"a": 1}', 'object'],
  ]
  for (const [value, type] of right)
    assert.ok(isOfType(value, type), `${JSON.stringify(value)} ${type}`)
  const wrong: readonly (readonly [Json, string])[] = [
    ['abc', 'number'],
    ['5', 'number'],
    [1.5, 'integer'],
    [{}, 'integer'],
    [null, 'string'],
    ['abc', 'array'],
    ['{}', 'array'],
    [['a'], 'integer[]'],
    [5, 'string'],
    [true, 'number'],
  ]
  for (const [value, type] of wrong)
    assert.ok(!isOfType(value, type), `${JSON.stringify(value)} ${type}`)
})
