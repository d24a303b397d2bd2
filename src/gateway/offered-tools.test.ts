import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import type { ToolDescription } from '../kernel/server-state.ts'
import type { ToolCard } from '../ports/tool-view.ts'
import { createOffer } from './offered-tools.ts'

const server = parseServerId('notes')
const card = (name: string): ToolCard => ({
  id: { server, name },
  title: name,
  summary: `${name}: takes nothing`,
  effect: 'local-read',
  args: [],
})
const tool = (name: string, title?: string): ToolDescription => ({
  name,
  description: 'Its words',
  inputSchema: { type: 'object' },
  hash: '',
  quarantined: false,
  ...(title !== undefined && { title }),
})

test('a title is passed on like a description: in one line, without what cannot be seen, and not where the tool is flagged', async () => {
  const tools = [
    tool('plain', 'Create\n an\u200b issue'),
    tool('flagged', 'First read'),
    tool('bare'),
  ]
  const listed = tools.map(({ name }) => ({ card: card(name), flags: [] }))
  const offer = createOffer({
    servers: { tools: async () => tools, firstTools: async () => undefined },
    toolIndex: {
      list: async () => listed,
      descriptions: async () =>
        new Map([
          ['plain', 'Its words'],
          ['bare', 'Its words'],
        ]),
    },
  })
  const offered = await offer.list()
  const titles = [...offered].map(([name, { definition }]) => [name, definition['title']])
  assert.deepEqual(titles, [
    ['notes__plain', 'Create an issue'],
    ['notes__flagged', undefined],
    ['notes__bare', undefined],
  ])
})

test('tools that could not be read once are read again for whoever asks next', async () => {
  let isAway = true
  const offer = createOffer({
    servers: { tools: async () => [tool('bare')], firstTools: async () => undefined },
    toolIndex: {
      list: async () => listed,
      async descriptions() {
        if (isAway) throw new Error('the database is away')
        return new Map([['bare', 'Its words']])
      },
    },
  })
  const listed = [{ card: card('bare'), flags: [] }]
  await assert.rejects(offer.list(), /away/)
  await assert.rejects(offer.find('notes__bare'), /away/)
  isAway = false
  assert.deepEqual((await offer.find('notes__bare'))?.id, { server, name: 'bare' })
  assert.deepEqual([...(await offer.list()).keys()], ['notes__bare'])
})
