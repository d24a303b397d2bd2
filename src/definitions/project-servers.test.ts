import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { Definitions } from '../kernel/ports.ts'
import { isServerId, parseServerId } from '../kernel/server-id.ts'
import { createDefinitions } from './create-definitions.ts'
import { type FakeDeps, openFakeDeps } from './fake-deps.ts'

const named = (name: string): string => `name = "${name}"\n[server]\ncommand = "x"\n`

async function open(): Promise<{ deps: FakeDeps; definitions: Definitions }> {
  const deps = await openFakeDeps()
  return { deps, definitions: createDefinitions(deps) }
}

/** Trusts what is shown, as an owner does who agrees to everything. */
async function trust(definitions: Definitions, folder: string, instead: readonly string[] = []) {
  const { hash: seen } = await definitions.showProject(folder)
  return await definitions.trustProject(folder, { seen, instead })
}

/** `slug: name (scope)` of every definition that loads. */
async function shown(definitions: Definitions, folder?: string): Promise<readonly string[]> {
  const { servers } = await definitions.load(folder)
  return servers.map(({ definition, scope }) => `${definition.id}: ${definition.name} (${scope})`)
}

test("DEF-4: the owner's server stays in force beside a project's of the same name, until they decide", async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const mine = await deps.put('home/.cordon/mcp/a.toml', named('user'))
  await deps.put('etc/cordon/mcp/b.toml', named('system'))
  for (const name of ['a', 'b', 'c']) {
    await deps.put(`home/work/.cordon/mcp/${name}.toml`, named('project'))
  }
  const project = join(deps.base, 'home/work')
  const view = await definitions.showProject(project)
  assert.deepEqual(
    view.servers.map(({ server, hides, isUsed }) => [server, hides, isUsed]),
    [
      ['a', mine, false],
      ['b', join(deps.base, 'etc/cordon/mcp/b.toml'), false],
      ['c', undefined, true],
    ],
  )
  await trust(definitions, project)
  const beside = ['a: user (user)', 'b: system (system)', 'c: project (project)']
  assert.deepEqual(await shown(definitions, project), beside)
  assert.deepEqual(await shown(definitions, join(project, 'deep/er')), beside)
  const { servers } = await definitions.load(project)
  assert.match(servers[0]?.warnings.join() ?? '', /home\/work brings a server of the same name/)
  assert.match(servers[0]?.warnings.join() ?? '', /`cordon mcp trust --instead-of-mine a`/)
  const a = parseServerId('a')
  assert.equal(await definitions.findInProject(project, a), undefined)

  await trust(definitions, project, ['a'])
  assert.deepEqual(await shown(definitions, project), ['a: project (project)', ...beside.slice(1)])
  assert.equal((await definitions.findInProject(project, a))?.name, 'project (project)')
  assert.deepEqual(await shown(definitions), beside.slice(0, 2))
  const told = (await definitions.load(project)).servers[0]?.warnings
  assert.deepEqual(told, [`is used here instead of ${mine}, as you decided`])

  await deps.put('home/work/.cordon/mcp/c.toml', named('changed'))
  await trust(definitions, project)
  assert.equal((await shown(definitions, project))[0], beside[0], 'decided for those bytes only')
  await assert.rejects(trust(definitions, project, ['x']), { code: 'servers.not-in-project' })
})

test('DEF-4: a project that changes between the look and the yes is not trusted', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const folder = join(deps.base, 'home/work')
  const path = await deps.put('home/work/.cordon/mcp/p.toml', named('harmless'))
  const { hash: seen } = await definitions.showProject(folder)
  await deps.put(path, named('evil'))
  await assert.rejects(definitions.trustProject(folder, { seen, instead: [] }), {
    code: 'servers.project-changed',
    exit: 3,
  })
  assert.deepEqual(await shown(definitions, folder), [])
})

test("DEF-4: a project's definition cannot vouch for itself, and has an id that nobody can name", async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const folder = join(deps.base, 'home/work')
  const text = `label = "public"
[server]
command = "./bin/run"
args = ["./a.js", "./../../etc/x", "b"]
[source]
kind = "catalog"
name = "notion"
[tools.pay]
semantics = "read"
fields = ["id"]
roles = { to = "content" }
[tools.drop]
semantics = "destructive"
`
  await deps.put('home/work/.cordon/mcp/p.toml', text)
  await deps.put('other/.cordon/mcp/p.toml', text)
  await trust(definitions, folder)
  const p = parseServerId('p')
  const found = await definitions.findInProject(folder, p)
  assert.deepEqual(found?.tools, { pay: {}, drop: { semantics: 'destructive' } })
  assert.deepEqual([found?.label, found?.source], ['sensitive', undefined])
  assert.equal(found?.command, join(folder, 'bin/run'))
  assert.deepEqual(found?.args, [join(folder, 'a.js'), './../../etc/x', 'b'])
  assert.equal(isServerId(found?.id), false)
  await trust(definitions, join(deps.base, 'other'))
  const other = await definitions.findInProject(join(deps.base, 'other'), p)
  assert.notEqual(other?.id, found?.id)
  assert.equal(await definitions.findInProject(deps.base, p), undefined)
})
