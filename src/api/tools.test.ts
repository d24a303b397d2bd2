import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DefinitionChanges } from '../kernel/definition-change.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { ToolView } from '../ports/tool-view.ts'
import { type ToolDeps, toolRoutes } from './tools.ts'

const server = parseServerId('notes')
const id = { server, name: 'find' }
const view: ToolView = {
  card: { id, title: 'Find', summary: 'find', effect: 'remote-read', args: [] },
  serverName: 'Notes',
  because: 'its definition says "read"',
  roles: [
    { name: 'q', role: 'query', source: 'definition' },
    { name: 'note', role: 'content', source: 'definition' },
    { name: 'body', role: 'content', source: 'schema' },
  ],
  fields: [],
  learned: [],
  isVouchedFor: true,
  flags: [],
  hash: 'h',
}
const never = new AbortController().signal

function routes() {
  const done: unknown[] = []
  const definition = { id: server, source: { kind: 'catalog', name: 'notes' } }
  const tools = { find: { roles: { q: 'query', note: 'target' } } }
  const deps = {
    toolIndex: {
      oddities: async (server: string) => [{ kind: 'path', where: server }],
      list: async (only?: string) => [{ card: view.card, blocked: only }],
      view: async ({ name }: { name: string }) => (name === 'find' ? view : undefined),
      search: async () => [
        view.card,
        { ...view.card, id: { server: parseServerId('other'), name: 'find' } },
      ],
    },
    catalog: { services: [{ slug: 'notes', tools }] },
    definitions: {
      load: async () => ({ servers: [{ definition }] }),
      edit: async (server: string, changes: DefinitionChanges) => {
        done.push(server, changes)
      },
    },
    servers: { refresh: async () => done.push('refresh') },
  } as unknown as ToolDeps
  return { done, ...toolRoutes(deps) }
}

test('tools.list finds by words, in one server where one is named', async () => {
  const { 'tools.list': list } = routes()
  assert.equal((await list.handle({ search: 'find' }, never)).tools.length, 2)
  assert.deepEqual(await list.handle({ search: 'find', server: 'notes' }, never), {
    tools: [{ card: view.card }],
    flags: [{ kind: 'path', where: 'notes' }],
  })
  assert.deepEqual((await list.handle({}, never)).flags, [])
  assert.equal((await list.handle({ server: 'notes' }, never)).tools.length, 1)
})

test('tools.show tells the word of the catalog from that of the owner', async () => {
  const { 'tools.show': show } = routes()
  const { roles } = await show.handle({ server: 'notes', tool: 'find' }, never)
  assert.deepEqual(
    roles.map(({ source }) => source),
    ['catalog', 'owner', 'schema'],
  )
  await assert.rejects(show.handle({ server: 'notes', tool: 'none' }, never), {
    code: 'kernel.no-tool',
  })
})

test("tools.set writes the owner's word, and none about an argument that is not there", async () => {
  const { 'tools.set': set, done } = routes()
  await set.handle({ server: 'notes', tool: 'find', enabled: false, roles: { q: 'target' } }, never)
  const find = { enabled: false, roles: { q: 'target' } }
  assert.deepEqual(done, ['notes', { ownTools: { find } }, 'refresh'])
  const stranger = set.handle({ server: 'notes', tool: 'find', roles: { none: 'content' } }, never)
  await assert.rejects(stranger, { code: 'kernel.no-argument' })
  assert.equal(done.length, 3)
})

test('WEB-6: a page switches a tool on and off, and says nothing about what it does', () => {
  const { 'tools.set': set } = routes()
  const tool = { server: 'notes', tool: 'find' }
  assert.equal(set.isForTerminal?.({ ...tool, enabled: false }), false)
  assert.equal(set.isForTerminal?.({ ...tool, enabled: true, semantics: 'read' }), true)
  assert.equal(set.isForTerminal?.({ ...tool, roles: { q: 'content' } }), true)
})
