import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Walk } from '../engine/walk.ts'
import { parseIr } from '../language/ir.ts'
import { createGraph, type FlowGraph } from './flow-graph.ts'
import { rounds } from '../../kernel/test-rounds.ts'

function graph(nodes: string, edges: readonly string[]): FlowGraph {
  const parsed = edges.map((text) => {
    const [path = '', action = 'default', max] = text.split(' ')
    const [from, to] = path.split('>')
    return { from, to, action, ...(max && { max: Number(max) }) }
  })
  return createGraph(parseIr({ nodes: nodes.split(' '), edges: parsed }))
}

test('a node comes after all that lead to it', () => {
  const flow = graph('d c b a', ['a>b', 'a>c', 'b>d', 'c>d'])
  assert.equal(flow.order[0], 'a')
  assert.equal(flow.order[3], 'd')
  assert.equal(flow.cycle, undefined)
  assert.ok(flow.isBefore('a', 'd'))
  assert.ok(!flow.isBefore('d', 'a') && !flow.isBefore('b', 'c') && !flow.isBefore('a', 'a'))
  assert.ok(!flow.isBefore('nobody', 'a') && !flow.isBefore('a', 'nobody'))
})

test('an edge with a bound leads back without being waited for', () => {
  const loop = graph('a retry b', ['a>b', 'a>retry rate_limited', 'retry>a default 3'])
  assert.equal(loop.cycle, undefined)
  assert.ok(!loop.isBefore('retry', 'a'))
  assert.ok(loop.reaches('retry', 'a') && loop.reaches('a', 'a') && loop.reaches('retry', 'b'))
})

test('any edge of a circle may have the bound; the flow starts at its first node all the same', () => {
  const loop = graph('a b retry', ['a>b', 'a>retry rate_limited 3', 'retry>a'])
  assert.equal(loop.cycle, undefined)
  assert.equal(loop.order[0], 'a')
  assert.ok(loop.isBefore('a', 'retry') && !loop.isBefore('retry', 'a'))
  assert.deepEqual(
    [...loop.back].map(({ from }) => from),
    ['retry'],
  )
})

test('a circle without a bound is found and named', () => {
  assert.deepEqual(graph('x a b c', ['x>a', 'a>b', 'b>c', 'c>a']).cycle?.toSorted(), [
    'a',
    'b',
    'c',
  ])
  assert.deepEqual(graph('a', ['a>a']).cycle, ['a'])
  assert.deepEqual(graph('a b after', ['a>b', 'b>a', 'b>after']).cycle?.toSorted(), ['a', 'b'])
})

test('ways that exclude each other are told from ways that meet', () => {
  const flow = graph('a good bad end both', [
    'a>good',
    'a>bad error',
    'good>end',
    'bad>end',
    'a>both',
  ])
  assert.ok(flow.isAlternative('good') && flow.isAlternative('bad'))
  assert.ok(!flow.isAlternative('a') && !flow.isAlternative('end'))
  assert.ok(flow.isCertainFor('a', 'good') && flow.isCertainFor('a', 'end'))
  assert.ok(!flow.isCertainFor('good', 'end') && !flow.isCertainFor('bad', 'good'))
  assert.ok(flow.isCertainFor('good', 'both'))
})

test('a node that only some ends lead to may not run, by however many of them it is reached', () => {
  const flow = graph('a next wait after', [
    'a>next',
    'a>wait rate_limited',
    'a>wait timeout',
    'wait>after',
  ])
  assert.ok(flow.isAlternative('wait') && flow.isAlternative('after') && flow.isAlternative('next'))
  assert.ok(!flow.isCertainFor('wait', 'next') && flow.isCertainFor('wait', 'after'))
  const all = graph('a b c end', ['a>b', 'a>end error', 'b>c', 'b>end error', 'c>end'])
  assert.ok(!all.isAlternative('end') && all.isAlternative('c'))
  const some = graph('a b end', ['a>b', 'a>end error', 'b>end error'])
  assert.ok(some.isAlternative('end'))
  const open = graph('a end', ['a>end error', 'a>end timeout'])
  assert.ok(open.isAlternative('end'))
})

test('a node that is no alternative of another runs, whichever action the nodes before it take', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const edge = fc.record({
    from: fc.integer({ min: 0, max: 3 }),
    by: fc.integer({ min: 1, max: 4 }),
    action: fc.constantFrom('default', 'error', 'timeout'),
  })
  const edgesFrom = (drawn: readonly { from: number; by: number; action: string }[]) =>
    drawn
      .filter(({ from, by }) => from + by < names.length)
      .map(({ from, by, action }) => ({ from: names[from], to: names[from + by], action }))
  const RUNS = rounds(3000, 500)
  let seenAlternatives = 0
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 9 }), fc.infiniteStream(fc.nat()), (drawn, luck) => {
      const ir = parseIr({ nodes: names, edges: edgesFrom(drawn) })
      const flow = createGraph(ir)
      const walk = new Walk(flow)
      const ran = new Set<string>()
      for (let id = walk.next(); id !== undefined; id = walk.next()) {
        ran.add(id)
        const out = ir.edges.filter(({ from }) => from === id)
        const ends = ['default', ...out.map(({ action = 'default' }) => action)]
        walk.ended(id, ends[(luck.next().value ?? 0) % ends.length] ?? 'default')
      }
      const left = names.filter((id) => !ran.has(id))
      seenAlternatives += left.length
      assert.ok(left.every((id) => flow.isAlternative(id)))
    }),
    { numRuns: RUNS },
  )
  assert.ok(seenAlternatives > RUNS / 3, String(seenAlternatives))
})

test('edges to nodes that are not there are left out', () => {
  assert.equal(graph('a b', ['a>b', 'a>x', 'y>b']).edges.length, 1)
})

test('a thousand nodes and five thousand edges are put in order, although no life is long enough for all their paths', () => {
  const nodes = Array.from({ length: 1000 }, (_, at) => `n${at}`)
  const edges = Array.from({ length: 5000 }, (_, at) => ({
    from: `n${(at * 7919) % 1000}`,
    to: `n${(at * 104_729) % 1000}`,
    max: 2,
    ...(at % 3 === 0 && { action: 'error' }),
  }))
  assert.equal(createGraph(parseIr({ nodes, edges })).order.length, 1000)
})
