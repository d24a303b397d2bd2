import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitsField } from './fits-field.ts'

test('a value fits a field if it has the type, and is one of the options', () => {
  const options = [{ value: 'a' }, { value: 'b' }]
  const fields = [
    { kind: 'text' },
    { kind: 'number', isWhole: false },
    { kind: 'number', isWhole: true },
    { kind: 'yes-no' },
    { kind: 'choice', options },
    { kind: 'choices', options },
  ] as const
  const fitting = (value: unknown): readonly number[] =>
    fields.flatMap((field, at) => (fitsField(field, value) ? [at] : []))
  assert.deepEqual(fitting('c'), [0])
  assert.deepEqual(fitting('a'), [0, 4])
  assert.deepEqual(fitting(1.5), [1])
  assert.deepEqual(fitting(2), [1, 2])
  assert.deepEqual(fitting(true), [3])
  assert.deepEqual(fitting(['a', 'b']), [5])
  assert.deepEqual(fitting(['a', 'c']), [])
  assert.deepEqual(fitting(undefined), [])
})
