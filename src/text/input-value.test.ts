import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputValue } from './input-value.ts'

test('inputValue() takes a text for what it is where the type allows text, and reads JSON elsewhere', () => {
  assert.equal(inputValue('5', 'string'), '5')
  assert.equal(inputValue('5', 'string|number'), '5')
  assert.equal(inputValue('5', 'any'), '5')
  assert.equal(inputValue('5', 'number'), 5)
  assert.deepEqual(inputValue('a', 'string[]'), ['a'])
  assert.deepEqual(inputValue('["a"]', 'string[]'), ['a'])
  assert.equal(inputValue('{half', 'object'), '{half')
  assert.equal(inputValue('5', 'text'), '5')
  assert.equal(inputValue('5', 'int'), 5)
  assert.deepEqual(inputValue('["a"]', 'list'), ['a'])
})
