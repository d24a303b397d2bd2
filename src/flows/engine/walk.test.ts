/** The way through a flow: in order, along the edges that are taken, and round as often as is allowed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createGraph } from '../check/flow-graph.ts'
import { type FlowEdge, parseIr } from '../ir.ts'
import { Walk } from './walk.ts'

/** The nodes in the order of their turns; each ends as it is told to, one time after the other. */
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
