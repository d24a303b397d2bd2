/** Flows whose values grow without bound: the check terminates, the run fails with a reason, the process survives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../src/text/json.ts'
import { never, startOf, untilOver } from './engine-house.ts'
import { openWithTools } from './engine-tools.ts'

/** A chain of nodes, each of which takes the result of the node before it. */
function chain(count: number, node: (before: string) => object): readonly Json[] {
  const first = { id: 'n0', type: 'format', params: { template: '0123456789abcdef' } }
  const others = Array.from({ length: count }, (_, at) => ({
    id: `n${at + 1}`,
    ...node(`\${n${at}.result}`),
  }))
  return [first, ...others] as readonly Json[]
}

const TWENTY = Array.from({ length: 20 }, () => 0)

const GROWING: Readonly<Record<string, Json>> = {
  'a text that doubles': {
    nodes: chain(40, (before) => ({ type: 'format', params: { template: `${before}${before}` } })),
  },
  'a list of lists of lists': {
    nodes: chain(40, (before) => ({ type: 'map', params: { items: TWENTY, to: before } })),
  },
  'an object that holds the one before twice': {
    nodes: [
      ...chain(40, (before) => ({
        type: 'map',
        params: { items: [0], to: { left: before, right: before } },
      })),
      { id: 'note', type: 'box.note', params: { text: '${n40.result}' } },
    ],
  },
  'a list in a list in a list': {
    nodes: chain(900, (before) => ({ type: 'map', params: { items: [0], to: [before] } })),
  },
  'operators that are repeated': {
    nodes: chain(40, (before) => ({
      type: 'map',
      forEach: { items: TWENTY },
      params: { items: [0], to: before },
    })).map(
      (node) =>
        JSON.parse(JSON.stringify(node).replaceAll(/(n[1-9]\d*)\.result}/g, '$1.results}')) as Json,
    ),
  },
  'what the flow gives': {
    nodes: chain(19, (before) => ({ type: 'format', params: { template: `${before}${before}` } })),
    outputs: { all: { source: '${n19.result}${n19.result}${n19.result}' } },
  },
}

for (const [name, ir] of Object.entries(GROWING)) {
  test(`${name} ends the run`, async () => {
    await using house = await openWithTools()
    await house.flows.start(startOf('r', ir), never)
    assert.equal((await untilOver(house.flows, 'r')).problem?.code, 'flows.too-large')
    assert.deepEqual(house.said, [])
  })
}
