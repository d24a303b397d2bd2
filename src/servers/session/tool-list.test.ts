import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readToolList } from './tool-list.ts'

const asIs = (text: string): string => text

async function namesOf(...names: readonly string[]): Promise<readonly string[]> {
  const tools = names.map((name) => ({ name, inputSchema: {} }))
  return (await readToolList(async () => ({ tools }), asIs)).tools.map(({ name }) => name)
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
  const read = await readToolList(async (cursor) => pages[cursor === 'x' ? 1 : 0], asIs)
  assert.deepEqual(read, {
    tools: [{ name: 'a', description: '1' }, { name: 'b' }],
    leftOut: [
      'Tool "a" was left out: another tool of the list has the same name',
      'A tool was left out: it is not an object',
      'A tool was left out: it has no name',
    ],
  })
})

test('a tool that is left out is named so that its odd characters are seen', async () => {
  const header = { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'a' } } }
  const tools = [{ name: 're\u200bad\u001b[2J' }, { name: 'b', inputSchema: header }]
  const { leftOut } = await readToolList(async () => ({ tools }), asIs)
  assert.match(leftOut[0] ?? '', /^Tool "re\\u200bad\\u001b\[2J" was left out: its name has/)
  assert.match(leftOut[1] ?? '', /^Tool "b" was left out: it wants arguments repeated as headers/)
  const many = Array.from({ length: 100 }, () => ({ name: '' }))
  const { leftOut: cut } = await readToolList(async () => ({ tools: many }), asIs)
  assert.deepEqual([cut.length, cut.at(-1)], [21, '80 more were left out'])
})

test('a tool with a name that begins with ~ is left out: such names are features that Cordon calls', async () => {
  const tools = ['~read-resource', 'read-resource'].map((name) => ({ name, inputSchema: {} }))
  const list = await readToolList(
    async () => ({ tools }),
    (text) => text,
  )
  assert.deepEqual(
    list.tools.map(({ name }) => name),
    ['read-resource'],
  )
  assert.match(list.leftOut[0] ?? '', /"~read-resource" was left out/)
})
