import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json, JsonObject } from '../../text/json.ts'
import { OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { RevealToken } from '../../labels/reveal-token.ts'
import {
  applyOperation,
  isOperator,
  OPERATORS,
  type OperatorName,
  parseOperation,
} from './operation.ts'

const own = { label: OWN_WORDS, place: 'nodes[0].params' }
const items = new Labelled(
  [
    { id: 1, tags: ['a'], owner: { name: 'Ann' } },
    { id: 2, tags: ['b'], owner: { name: 'Bob' } },
  ],
  { label: OWN_WORDS },
)

function run(kind: OperatorName, params: JsonObject, scope: Json = {}): Json {
  const reading = parseOperation(kind, params)
  assert.equal(reading.kind, 'operation')
  const values = new Labelled(scope, { label: OWN_WORDS })
  const work = { items, scope: (path: readonly (string | number)[]) => values.at(...path), own }
  return Labelled.reveal(applyOperation(reading.operation, work), RevealToken.issue())
}

test('every operator reads its params and works on its items', () => {
  const second = { id: 2, tags: ['b'], owner: { name: 'Bob' } }
  const cases: readonly (readonly [OperatorName, JsonObject, Json])[] = [
    ['filter', { where: { field: 'owner.name', value: 'Bob' } }, [second]],
    ['select', { where: [{ field: 'tags[0]', op: 'eq', value: 'b' }] }, second],
    ['select', { where: { field: 'id', op: 'in', value: [2, 3] } }, second],
    ['select', { where: { field: 'owner', op: 'exists', value: false } }, null],
    [
      'map',
      { to: { n: '${item.id}', of: 'me' } },
      [
        { n: 1, of: 'me' },
        { n: 2, of: 'me' },
      ],
    ],
    ['map', { as: 'x', to: '${x.owner.name}!' }, ['Ann!', 'Bob!']],
    ['sort', { by: 'id', order: 'desc' }, [second, { id: 1, tags: ['a'], owner: { name: 'Ann' } }]],
    ['argmax', { by: 'id' }, second],
    ['argmin', { by: 'owner.name' }, { id: 1, tags: ['a'], owner: { name: 'Ann' } }],
    ['count', {}, 2],
    ['last', {}, second],
    ['pick', { fields: ['id'] }, [{ id: 1 }, { id: 2 }]],
  ]
  for (const [kind, params, expected] of cases) assert.deepEqual(run(kind, params), expected, kind)
  assert.equal(run('format', { template: 'Dear ${who}' }, { who: 'Ann' }), 'Dear Ann')
  assert.deepEqual(run('filter', { where: { field: 'id', value: '${n}' } }, { n: 1 }), [
    { id: 1, tags: ['a'], owner: { name: 'Ann' } },
  ])
  assert.deepEqual(OPERATORS.filter(isOperator), OPERATORS)
  assert.equal(isOperator('constructor'), false)
})

test('which field and which comparison is meant cannot be a reference', () => {
  const cases: readonly (readonly [OperatorName, JsonObject, string])[] = [
    ['sort', { by: '${x.y}' }, 'by'],
    ['argmax', {}, 'by'],
    ['filter', {}, 'where'],
    ['sort', { by: 'a', order: 'up' }, 'order'],
    ['pick', { fields: [] }, 'fields'],
    ['map', {}, 'to'],
    ['format', { template: 5 }, 'template'],
  ]
  for (const [kind, params, place] of cases) {
    const reading = parseOperation(kind, params)
    assert.equal(reading.kind === 'problem' && reading.place, place, kind)
  }
  assert.equal(parseOperation('filter', { where: { op: '${x}', value: 1 } }).kind, 'problem')
})
