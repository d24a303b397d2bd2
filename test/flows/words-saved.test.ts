/** Saved flows whose records are damaged or of a newer version: refused in words, and the others are there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryShelf } from './engine-files.ts'
import { never } from './engine-house.ts'
import { NOTE, openWithTools } from './engine-tools.ts'

test('one record that cannot be read takes no other with it', async () => {
  const savedFlows = memoryShelf()
  await using house = await openWithTools({ rooms: { savedFlows } })
  await house.flows.save('good', { kind: 'ir', ir: { nodes: [NOTE] } }, false)
  await savedFlows.put({ name: 'cut', savedAt: 0, ir: '{"nodes": [' }, false)
  await savedFlows.put({ name: 'new', savedAt: 0, ir: '{"ir_version":"9.0.0","nodes":[]}' }, false)
  const listed = await house.flows.saved()
  assert.deepEqual(
    listed.map(({ name, nodes }) => [name, nodes.length]),
    [
      ['good', 1],
      ['cut', 0],
      ['new', 0],
    ],
  )
  assert.match(listed[1]?.description ?? '', /its record is damaged/)
  assert.match(listed[2]?.description ?? '', /version "9\.0\.0"/)
  for (const [name, code] of [
    ['cut', 'flows.unreadable-flow'],
    ['new', 'flows.newer-ir'],
  ] as const) {
    await assert.rejects(house.flows.check({ kind: 'saved', name }, undefined, never), { code })
    await assert.rejects(house.flows.read(name), { code })
  }
})

test('odd flows end in a sentence', async () => {
  await using house = await openWithTools()
  const check = (ir: unknown) =>
    house.flows.check({ kind: 'ir', ir: ir as never }, undefined, never)
  let deep: unknown = 'x'
  for (let level = 0; level < 10_000; level += 1) deep = [deep]
  const format = (template: unknown) => ({
    nodes: [{ id: 'f', type: 'format', params: { template } }],
  })
  await assert.rejects(check(format(deep)), { code: 'flows.bad-ir' })
  await assert.rejects(check(format('\ud800')), { code: 'flows.bad-ir' })
  const proto = await check({
    nodes: [{ id: '__proto__', type: 'format', params: { template: 'x' } }],
  })
  assert.equal(typeof proto.isSound, 'boolean')
})
