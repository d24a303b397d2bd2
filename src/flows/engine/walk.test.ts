/** The order of turns in a flow: topological, along the taken edges, and round each loop as often as `max` allows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rounds } from '../../kernel/test-rounds.ts'
import { createGraph } from '../check/flow-graph.ts'
import { type FlowEdge, parseIr } from '../language/ir.ts'
import { Walk } from './walk.ts'

/** The nodes in the order of their turns; `ends` lists the actions that each node ends with, turn by turn. */
function turns(
  nodes: readonly string[],
  edges: readonly FlowEdge[],
  ends: Readonly<Record<string, readonly string[]>> = {},
): readonly string[] {
  const walk = new Walk(createGraph(parseIr({ nodes, edges })))
  const seen: string[] = []
  for (let id = walk.next(); id !== undefined && seen.length < 10_000; id = walk.next()) {
    const time = seen.filter((one) => one === id).length
    seen.push(id)
    walk.ended(id, ends[id]?.[time] ?? 'default')
  }
  return seen
}

test('a node waits for all that lead to it', () => {
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
    { from: 'b', to: 'd' },
    { from: 'c', to: 'd' },
  ]
  assert.deepEqual(turns(['a', 'd', 'c', 'b'], edges), ['a', 'b', 'c', 'd'])
})

test('what no edge leads to that was taken does not run, nor what hangs on it alone', () => {
  const edges = [
    { from: 'a', to: 'good' },
    { from: 'a', to: 'bad', action: 'error' },
    { from: 'bad', to: 'worse' },
    { from: 'good', to: 'end' },
    { from: 'worse', to: 'end' },
  ]
  const nodes = ['a', 'good', 'bad', 'worse', 'end']
  assert.deepEqual(turns(nodes, edges), ['a', 'good', 'end'])
  assert.deepEqual(turns(nodes, edges, { a: ['error'] }), ['a', 'bad', 'worse', 'end'])
})

test('an edge that leads back is taken as often as it says, and then the flow goes on', () => {
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a', action: 'error', max: 2 },
    { from: 'b', to: 'c' },
    { from: 'b', to: 'd', action: 'error' },
  ]
  const ends = { b: ['error', 'error', 'error'] }
  assert.deepEqual(turns(['a', 'b', 'c', 'd'], edges, ends), ['a', 'b', 'a', 'b', 'a', 'b', 'd'])
  assert.deepEqual(turns(['a', 'b', 'c', 'd'], edges, { b: ['error'] }), ['a', 'b', 'a', 'b', 'c'])
})

test('a way back that was gone as often as it may is told apart from an end', () => {
  const edges = [
    { from: 'a', to: 'b', action: 'error' },
    { from: 'b', to: 'a', max: 1 },
  ]
  const walk = new Walk(createGraph(parseIr({ nodes: ['a', 'b'], edges })))
  const used = ['error', 'default', 'error', 'default'].map((action) => {
    const id = walk.next() ?? ''
    const isUsedUp = walk.isUsedUp(id, action)
    walk.ended(id, action)
    return isUsedUp
  })
  assert.deepEqual(used, [false, false, false, true])
  assert.equal(walk.isUsedUp('a', 'default'), false)
})

test('a bound counts on whichever edge of a cycle it stands', () => {
  const ring = (bounded: number): readonly FlowEdge[] =>
    ['a', 'b', 'c'].map((from, at) => ({
      from,
      to: 'bca'[at] ?? '',
      ...(at === bounded && { max: 2 }),
    }))
  const nodes = ['a', 'b', 'c']
  assert.equal(turns(nodes, ring(0)).join(''), 'abcabca')
  assert.equal(turns(nodes, ring(1)).join(''), 'abcabcab')
  assert.equal(turns(nodes, ring(2)).join(''), 'abcabcabc')
})

test('an edge counts when its target runs: what a back edge resets before was not followed', () => {
  const edges = [
    { from: 'a', to: 'b', max: 1 },
    { from: 'a', to: 'c' },
    { from: 'c', to: 'b', action: 'other' },
    { from: 'c', to: 'a', action: 'error', max: 3 },
    { from: 'b', to: 'a', action: 'error' },
  ]
  assert.deepEqual(turns(['a', 'b', 'c'], edges, { c: ['error'] }), ['a', 'c', 'a', 'c', 'b'])
})

test('a bound on an edge that is part of no cycle does not count', () => {
  const edges = [
    { from: 'a', to: 'c' },
    { from: 'c', to: 'd', max: 1 },
    { from: 'a', to: 'm' },
    { from: 'm', to: 'b' },
    { from: 'b', to: 'a', action: 'error', max: 2 },
  ]
  const order = turns(['a', 'c', 'd', 'm', 'b'], edges, { b: ['error', 'error'] })
  assert.equal(order.filter((id) => id === 'd').length, 3)
})

test('a back edge without a bound needs progress, however the nodes end', () => {
  // "u" runs because of "x", whether or not "v" leads there again.
  const edges = [
    { from: 'x', to: 'v' },
    { from: 'x', to: 'u' },
    { from: 'v', to: 'u', max: 2 },
    { from: 'v', to: 'w' },
    { from: 'u', to: 'v' },
  ]
  assert.equal(turns(['x', 'v', 'u', 'w'], edges).join(' '), 'x v u v u v u w')
})

test('any bounded flow comes to an end, and the same ends lead the same way', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const edge = fc.record({
    from: fc.constantFrom(...names),
    to: fc.constantFrom(...names),
    action: fc.constantFrom('default', 'error'),
    max: fc.integer({ min: 1, max: 3 }),
  })
  const ends = fc.dictionary(
    fc.constantFrom(...names),
    fc.array(fc.constantFrom('default', 'error')),
  )
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 8 }), ends, (edges, how) => {
      const once = turns(names, edges, how)
      assert.ok(once.length < 10_000)
      assert.deepEqual(turns(names, edges, how), once)
    }),
    { numRuns: 500 },
  )
})

test('a flow whose every cycle has a bound somewhere ends within what the bounds allow', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const actions = ['default', 'error', 'timeout']
  const edge = fc.record(
    {
      from: fc.constantFrom(...names),
      to: fc.constantFrom(...names),
      action: fc.constantFrom(...actions),
      max: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ['from', 'to', 'action'] },
  )
  let seen = 0
  fc.assert(
    fc.property(
      fc.array(edge, { minLength: 2, maxLength: 10 }),
      fc.tuple(...names.map(() => fc.constantFrom(...actions))),
      fc.array(fc.constantFrom(...actions), { maxLength: 15 }),
      (edges, habits, first) => {
        const graph = createGraph(parseIr({ nodes: names, edges }))
        fc.pre(graph.cycle === undefined && graph.back.size > 0)
        const unbounded = [...graph.back].filter(({ max }) => max === undefined).length
        assert.equal(graph.endless !== undefined, unbounded > 0)
        if (unbounded > 0) seen += 1
        const sum = [...graph.bounded].reduce((all, { max = 0 }) => all + max, 0)
        const backs = sum + unbounded * (1 + sum + names.length)
        const most = names.length * (1 + backs)
        const walk = new Walk(graph)
        let count = 0
        for (let id = walk.next(); id !== undefined; id = walk.next()) {
          count += 1
          assert.ok(count <= most)
          const habit = habits[names.indexOf(id)] ?? 'default'
          walk.ended(id, first[count - 1] ?? habit)
        }
      },
    ),
    { numRuns: rounds(10_000, 3000) },
  )
  assert.ok(seen > 300)
})
