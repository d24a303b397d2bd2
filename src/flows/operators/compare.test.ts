import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { createMeter } from '../../text/test-linear.ts'
import { type Comparison, compares } from './compare.ts'

test('comparisons hold exactly, and never across types', () => {
  const yes: readonly (readonly [Json | undefined, Comparison, Json])[] = [
    [1, 'eq', 1],
    [{ a: 1, b: [2] }, 'eq', { b: [2], a: 1 }],
    [{ a: 1 }, 'ne', { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, 'ne', { a: 1 }],
    [{ a: 1 }, 'ne', { b: 1 }],
    [{}, 'ne', []],
    [[], 'ne', {}],
    [[1], 'ne', [1, 2]],
    [{ toString: 1 }, 'ne', { a: 1 }],
    [null, 'eq', null],
    [null, 'ne', {}],
    [1, 'ne', '1'],
    [undefined, 'ne', 1],
    [2, 'gt', 1],
    ['2026-05-03', 'lt', '2026-05-10'],
    [1, 'lte', 1],
    ['b', 'gte', 'a'],
    ['a', 'in', ['a', 'b']],
    ['abc', 'contains', 'b'],
    [['a', 'b'], 'contains', 'b'],
    ['abc', 'starts_with', 'ab'],
    ['abc', 'ends_with', 'bc'],
    [0, 'exists', true],
    [null, 'exists', false],
    [undefined, 'exists', false],
  ]
  for (const [left, op, right] of yes) assert.ok(compares(left, op, right), op)
  const no: readonly (readonly [Json | undefined, Comparison, Json])[] = [
    ['10', 'gt', 9],
    [null, 'lt', 1],
    [undefined, 'eq', null],
    [true, 'gt', false],
    ['a', 'in', 'abc'],
    [12, 'contains', 1],
    [[1], 'starts_with', 1],
    [undefined, 'exists', true],
  ]
  for (const [left, op, right] of no) assert.ok(!compares(left, op, right), op)
})

test('comparing each item of a list with the list runs in linear time', () => {
  const items = Array.from({ length: 100_000 }, (_, at) => ({ id: at, text: 'x' }))
  const meter = createMeter('comparing them')
  for (const one of items) {
    meter(() => assert.ok(!compares(one, 'eq', items) && compares(one, 'ne', items)))
  }
})
