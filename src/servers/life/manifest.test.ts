import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RawTool } from '../session/tool-list.ts'
import { acceptTools, diffManifest, readManifest } from './manifest.ts'

const tool = (name: string, description = 'Does it'): RawTool => ({
  name,
  description,
  inputSchema: {},
})
const quarantined = (manifest: ReturnType<typeof readManifest>): string[] =>
  [...manifest.tools.values()].filter((one) => one.quarantined).map(({ name }) => name)

test('the first sight pins everything; the order of tools and of keys does not matter', () => {
  const first = readManifest([tool('a'), tool('b')], undefined)
  assert.deepEqual(quarantined(first), [])
  const turned = readManifest(
    [tool('b'), { inputSchema: {}, description: 'Does it', name: 'a' }],
    first.pins,
  )
  assert.equal(turned.hash, first.hash)
  assert.deepEqual(quarantined(turned), [])
})

test('any change of a definition is seen, down to one it was not asked for', () => {
  const { pins } = readManifest([tool('a')], undefined)
  for (const changed of [
    tool('a', 'Does it '),
    { ...tool('a'), annotations: {} },
    { ...tool('a'), x: 1 },
  ]) {
    assert.deepEqual(quarantined(readManifest([changed], pins)), ['a'])
  }
})

test('a tool that was removed keeps its pin, so it cannot come back as another', () => {
  const first = readManifest([tool('a'), tool('b')], undefined)
  const without = readManifest([tool('a'), tool('c')], first.pins)
  assert.deepEqual(diffManifest(without), { added: ['c'], changed: [], removed: ['b'] })
  const back = readManifest([tool('a'), tool('b', 'Does more')], without.pins)
  assert.deepEqual(diffManifest(back), { added: [], changed: ['b'], removed: [] })
  assert.deepEqual(quarantined(acceptTools(back, ['b'])), [])
  assert.deepEqual(quarantined(acceptTools(without, ['a'])), ['c'])
})

test('a server without tools that grows some is not at its first sight', () => {
  const none = readManifest([], undefined)
  assert.deepEqual(quarantined(readManifest([tool('a')], none.pins)), ['a'])
})
