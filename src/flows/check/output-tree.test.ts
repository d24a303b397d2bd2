import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../text/json.ts'
import { BOUNDS, INTEGRITIES, type Label, LEVELS, OWN_WORDS } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { Labelled } from '../../labels/labelled.ts'
import { fakeNodes } from '../nodes/fake-nodes.ts'
import { parseIr } from '../language/ir.ts'
import { applyOperation, type OperatorName } from '../operators/operation.ts'
import { checkedNode } from './checked-flow.ts'
import { branchAt, flatLabel, itemTree } from './label-trees.ts'
import { outputTree } from './output-tree.ts'
import { rounds } from '../../kernel/test-rounds.ts'

const label: fc.Arbitrary<Label> = fc.record({
  integrity: fc.constantFrom(...INTEGRITIES),
  level: fc.constantFrom(...LEVELS),
  origins: fc.subarray(['a', 'b', 'c']).map((list) => new Set(list)),
})

const OPERATIONS: readonly (readonly [OperatorName, JsonObject])[] = [
  ['filter', { where: { field: 'key', op: 'gte', value: 2 } }],
  ['filter', { where: { field: 'key', op: 'gte', value: '${limit}' } }],
  ['select', { where: { field: 'key', op: 'gte', value: 0 } }],
  ['sort', { by: 'key' }],
  ['argmax', { by: 'key' }],
  ['argmin', { by: 'id' }],
  ['unique', { by: 'key' }],
  ['unique', {}],
  ['count', {}],
  ['first', {}],
  ['last', {}],
  ['pick', { fields: ['id'] }],
  ['join', {}],
  ['map', { to: { new: '${item.id}', text: 'of ${item.key}', limit: '${limit}' } }],
  ['format', { template: 'at most ${limit}' }],
]

function isWithin(actual: Label, foreseen: Label): boolean {
  const isUnbounded = !foreseen.bound || foreseen.integrity !== 'external'
  return (
    INTEGRITIES.indexOf(actual.integrity) <= INTEGRITIES.indexOf(foreseen.integrity) &&
    LEVELS.indexOf(actual.level) <= LEVELS.indexOf(foreseen.level) &&
    actual.origins.isSubsetOf(foreseen.origins) &&
    (actual.integrity !== 'external' || isUnbounded || isBound(actual, foreseen))
  )
}

function isBound({ bound }: Label, foreseen: Label): boolean {
  const [a, b] = [bound?.kind, foreseen.bound?.kind]
  return a !== undefined && b !== undefined && BOUNDS.indexOf(a) <= BOUNDS.indexOf(b)
}

test('the predicted label of an operator’s output is never less strict than the real one', () => {
  const nodeIndex = fakeNodes()
  const labels = fc.record({ id: label, key: label, item: label, list: label, limit: label })
  const keys = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(labels, keys, fc.constantFrom(...OPERATIONS), (of, values, [type, params]) => {
      const tree: LabelTree = {
        label: of.list,
        each: {
          label: of.item,
          members: new Map([
            ['id', { label: of.id }],
            ['key', { label: of.key }],
          ]),
        },
      }
      const ir = parseIr({ nodes: [{ id: 'n', type, params }] })
      const found = nodeIndex.find(type)
      const known = found.kind === 'found' ? found.node : assert.fail()
      const checked = checkedNode(ir, ir.nodes[0] ?? assert.fail(), 0, known)
      const limit = new Labelled(3, { label: of.limit })
      const items = new Labelled(
        values.map((key, id) => ({ id, key })),
        tree,
      )
      const own = { label: OWN_WORDS, place: '' }
      const work = { items, scope: () => limit, own }
      const actual = applyOperation(checked.operation ?? assert.fail(), work)
      const outputs = outputTree({
        checked,
        args: new Map([['items', tree]]),
        lookUp: () => ({ label: of.limit }),
        own: OWN_WORDS,
        items: undefined,
      })
      const foreseen = branchAt(outputs, ['result'])
      assert.ok(isWithin(actual.label, flatLabel(foreseen)), type)
      const id = actual.at('id') ?? actual.at(0, 'id')
      const place = actual.at('id') ? foreseen : itemTree(foreseen)
      if (id) assert.ok(isWithin(id.label, flatLabel(branchAt(place, ['id']))), `${type}, id`)
    }),
    { numRuns: rounds(2000, 300) },
  )
})
