import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConditions } from './read-condition.ts'

test('a condition is read as people write it', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['age > 40', [{ field: 'age', op: 'gt', value: 40 }]],
    ['age>=40', [{ field: 'age', op: 'gte', value: 40 }]],
    ['owner.id = a1', [{ field: 'owner.id', op: 'eq', value: 'a1' }]],
    ['name = "41"', [{ field: 'name', op: 'eq', value: '41' }]],
    ['done = true', [{ field: 'done', op: 'eq', value: true }]],
    ['note exists', [{ field: 'note', op: 'exists', value: true }]],
    ['name contains two words', [{ field: 'name', op: 'contains', value: 'two words' }]],
    [
      'a != 1 and b <= 7 and c = x',
      [
        { field: 'a', op: 'ne', value: 1 },
        { field: 'b', op: 'lte', value: 7 },
        { field: 'c', op: 'eq', value: 'x' },
      ],
    ],
    ['age > ${limit.result}', [{ field: 'age', op: 'gt', value: '${limit.result}' }]],
    ['state in ["a", "b"]', [{ field: 'state', op: 'in', value: ['a', 'b'] }]],
    [
      'state = open and name contains "salt and pepper" and age < 9',
      [
        { field: 'state', op: 'eq', value: 'open' },
        { field: 'name', op: 'contains', value: 'salt and pepper' },
        { field: 'age', op: 'lt', value: 9 },
      ],
    ],
    ['{"field": "age", "op": "gt", "value": 1}', { field: 'age', op: 'gt', value: 1 }],
  ]
  for (const [text, expected] of cases) assert.deepEqual(readConditions(text), expected, text)
})

test('anything else is no condition', () => {
  for (const text of ['', 'age', 'age >', '> 40', 'age ~ 40', '${x} > 4', 'a = 1 and', '{"a"']) {
    assert.equal(readConditions(text), undefined, text)
  }
  assert.equal(readConditions('a = '.repeat(100_000)), undefined)
})
