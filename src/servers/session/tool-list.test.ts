import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToolList } from './tool-list.ts'

const asIs = (text: string): string => text

async function namesOf(...names: readonly string[]): Promise<readonly string[]> {
  const tools = names.map((name) => ({ name, inputSchema: {} }))
  return (await readToolList(async () => ({ tools }), asIs)).map(({ name }) => name)
}

test('a name that is not seen as it is spelled is no name', async () => {
  const hidden = [
    '\u202edaer',
    'read\u200b',
    'read\ufeff',
    'a\u2066b',
    'a\tb',
    'a\nb',
    'a\u001b[2J',
  ]
  assert.deepEqual(await namesOf('read', ...hidden, 'read ', 'a\u00a0b', 'lire-été'), [
    'read',
    'lire-été',
  ])
})

test('the first of a name counts, over all pages', async () => {
  const pages = [
    { tools: [{ name: 'a', description: '1' }], nextCursor: 'x' },
    { tools: [{ name: 'a', description: '2' }, { name: 'b' }, 'no tool', { name: '' }] },
  ]
  const tools = await readToolList(async (cursor) => pages[cursor === 'x' ? 1 : 0], asIs)
  assert.deepEqual(tools, [{ name: 'a', description: '1' }, { name: 'b' }])
})
