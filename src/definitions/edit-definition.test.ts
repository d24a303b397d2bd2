import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { createDefinitions } from './create-definitions.ts'
import { openFakeDeps } from './fake-deps.ts'

const notion = parseServerId('notion')

test('add() writes a definition that loads, and refuses a name that is taken', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const changes = {
    command: 'node',
    args: ['/usr/bin/env'],
    allowedDomains: ['api.notion.com'],
    auth: { NOTION_TOKEN: 'vault:notion_token' },
  }
  const { definition } = await definitions.add(notion, changes)
  assert.equal(definition.command, 'node')
  assert.deepEqual(definition.auth, { NOTION_TOKEN: { scheme: 'vault', name: 'notion_token' } })
  const { servers } = await definitions.load()
  assert.deepEqual(servers[0]?.definition, definition)
  assert.deepEqual(servers[0]?.warnings, [])
  await assert.rejects(definitions.add(notion, changes), { code: 'servers.taken' })
})

test('whom a server may reach is on record, the host of its own address included', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const changes = { transport: 'sse', url: 'https://mcp.example.com/sse' } as const
  await definitions.add(notion, changes)
  assert.partialDeepStrictEqual(deps.events, [
    { kind: 'servers.add', subject: 'notion', details: { hosts: ['mcp.example.com'] } },
  ])
})

test('edit() changes what was said and keeps the comments and the rest', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  await deps.put(
    'home/.cordon/mcp/notion.toml',
    '# mine\nname = "Notion" # as I call it\n[server]\ncommand = "node" # the one in /usr\n[auth]\nA = "vault:a"\n',
  )
  await definitions.edit(notion, {
    enabled: false,
    label: 'sensitive',
    auth: { B: 'env:B' },
    memoryLimit: '512m',
  })
  const text = await readFile(join(deps.userFolder, 'notion.toml'), 'utf8')
  for (const kept of ['# mine', '# as I call it', '# the one in /usr', 'A = "vault:a"']) {
    assert.ok(text.includes(kept), text)
  }
  const { servers } = await definitions.load()
  assert.equal(servers[0]?.definition.enabled, false)
  assert.equal(servers[0]?.definition.label, 'sensitive')
  assert.equal(servers[0]?.definition.sandbox.memoryLimitBytes, 512 * 1024 * 1024)
  assert.deepEqual(Object.keys(servers[0]?.definition.auth ?? {}), ['A', 'B'])
  assert.deepEqual(servers[0]?.warnings, [])
})

test('edit() writes nothing that would not load, and does not repeat a value that is no reference', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const text = '[server]\ncommand = "node"\n'
  await deps.put('home/.cordon/mcp/notion.toml', text)
  await assert.rejects(
    definitions.edit(notion, { auth: { TOKEN: 'ghp_plain_text_token' } }),
    (error: Error & { code?: string }) =>
      error.code === 'servers.invalid' && !error.message.includes('ghp_'),
  )
  await assert.rejects(definitions.edit(notion, { label: 'hush' }), {
    code: 'servers.invalid',
  })
  assert.equal(await readFile(join(deps.userFolder, 'notion.toml'), 'utf8'), text)
})

test('remove() takes the secrets along that no other definition names', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const auth = { A: 'vault:own', B: 'vault:shared', C: 'oauth:login' }
  await definitions.add(notion, { command: 'node', auth })
  const other = { command: 'node', auth: { B: 'vault:shared' } }
  await definitions.add(parseServerId('other'), other)
  for (const name of ['own', 'shared', 'oauth/login', 'own-2']) {
    await deps.vault.set(OWNER.id, name, Buffer.from('value'))
  }
  const { removedSecrets } = await definitions.remove(notion, { keepSecrets: false })
  assert.deepEqual(new Set(removedSecrets), new Set(['own', 'oauth/login']))
  assert.equal(await deps.vault.has(OWNER.id, 'shared'), true)
  assert.equal(await deps.vault.has(OWNER.id, 'own-2'), true)
  assert.deepEqual(
    (await definitions.load()).servers.map(({ definition }) => definition.id),
    ['other'],
  )
  await assert.rejects(definitions.remove(notion, { keepSecrets: true }), {
    code: 'servers.not-yours',
  })
})

test("edit() joins the owner's word about a tool with what is there, which a catalog's word never does", async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  await deps.put(
    'home/.cordon/mcp/notion.toml',
    '[server]\ncommand = "node"\n[tools.find]\nsemantics = "read" # looked at it\n[tools.find.roles]\nq = "query"\n',
  )
  await definitions.edit(notion, {
    ownTools: {
      find: { enabled: false, roles: { note: 'content' } },
      'odd name': { semantics: 'exec' },
    },
  })
  await definitions.edit(notion, { tools: { find: { semantics: 'destructive' } } })
  const { servers } = await definitions.load()
  assert.deepEqual(servers[0]?.definition.tools, {
    find: { semantics: 'read', enabled: false, roles: { q: 'query', note: 'content' } },
    'odd name': { semantics: 'exec' },
  })
  const text = await readFile(join(deps.userFolder, 'notion.toml'), 'utf8')
  assert.ok(text.includes('# looked at it'), text)
})

test('edit() refuses a role, an effect or a field that does not exist', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  await definitions.add(notion, { command: 'node' })
  const wrong: readonly object[] = [
    { semantics: 'harmless' },
    { roles: { q: 'friend' } },
    { fields: ['items[0].id'] },
    { hints: 'believed' },
  ]
  for (const find of wrong) {
    const edit = definitions.edit(notion, { ownTools: { find } })
    await assert.rejects(edit, { code: 'servers.invalid' }, JSON.stringify(find))
  }
})

test('a path that no server may be shown is refused before anything is written', async () => {
  await using deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const add = (changes: object) => definitions.add(notion, { command: 'node', ...changes })
  await assert.rejects(add({ readPaths: ['/'] }), { code: 'servers.path' })
  await assert.rejects(add({ writePaths: ['/srv', '/'] }), { code: 'servers.path' })
  assert.deepEqual(deps.steps, [])
  const { definition } = await add({ readPaths: ['~/photos'], writePaths: ['/srv'] })
  assert.deepEqual(definition.sandbox.readPaths, [join(deps.base, 'home', 'photos')])
  assert.deepEqual(definition.sandbox.writePaths, ['/srv'])
  const edited = await definitions.edit(notion, { keepsData: true })
  assert.deepEqual(
    [edited.definition.sandbox.keepsData, edited.definition.sandbox.writePaths],
    [true, ['/srv']],
  )
})
