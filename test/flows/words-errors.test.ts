/** The message of a failed step: the server's own words, named as its own, and the original in the trace. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never, startOf, type TestTool, untilOver } from './engine-house.ts'
import { openWithTools } from './engine-tools.ts'

const LONG = `Access denied - path outside allowed directories:\n${'/srv/x '.repeat(200)}`

const denies: TestTool = {
  name: 'denies',
  effect: 'remote-read',
  run: () => ({ kind: 'failed', reason: LONG }),
}

test('a failed run quotes its server, and its trace keeps the whole text', async () => {
  await using house = await openWithTools({}, [denies])
  await house.flows.start(startOf('r', { nodes: [{ id: 'd', type: 'box.denies' }] }), never)
  const { problem } = await untilOver(house.flows, 'r')
  assert.equal(problem?.code, 'flows.forbidden')
  assert.match(problem?.message ?? '', /^Box said: "Access denied - path outside .*…"$/)
  const { steps } = await house.flows.show('r')
  assert.equal(steps[0]?.problem, problem?.message)
  assert.equal(steps[0]?.said, LONG.trim())
})

test('an edge by class is taken, and the trace keeps the whole text as well', async () => {
  await using house = await openWithTools({}, [denies])
  const nodes = [
    { id: 'd', type: 'box.denies' },
    { id: 'f', type: 'format', params: { template: 'went on' } },
  ]
  const edges = [{ from: 'd', to: 'f', action: 'forbidden' }]
  await house.flows.start(startOf('r', { nodes, edges }), never)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  const { steps } = await house.flows.show('r')
  assert.deepEqual([steps[0]?.action, steps[0]?.said], ['forbidden', LONG.trim()])
})
