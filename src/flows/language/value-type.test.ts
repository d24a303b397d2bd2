import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fits, itemTypeOf, typeNamed, typeOfSchema } from './value-type.ts'

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
