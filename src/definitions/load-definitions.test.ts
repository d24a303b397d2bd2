import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { CordonError } from '../kernel/error.ts'
import type { Definitions } from '../kernel/ports.ts'
import { createDefinitions } from './create-definitions.ts'
import { type FakeDeps, openFakeDeps } from './fake-deps.ts'

const named = (name: string): string => `name = "${name}"\n[server]\ncommand = "x"\n`

async function open(): Promise<{ deps: FakeDeps; definitions: Definitions }> {
  const deps = await openFakeDeps()
  return { deps, definitions: createDefinitions(deps) }
}

/** Trusts what is shown, as an owner does who agrees to everything. */
async function trust(definitions: Definitions, folder: string) {
  const { hash: seen } = await definitions.showProject(folder)
  return await definitions.trustProject(folder, { seen, instead: [] })
}

/** `slug: name (scope)` of every definition that loads. */
async function shown(definitions: Definitions, folder?: string): Promise<readonly string[]> {
  const { servers } = await definitions.load(folder)
  return servers.map(({ definition, scope }) => `${definition.id}: ${definition.name} (${scope})`)
}

test('load() prefers user over system, and says what is hidden', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  for (const name of ['a', 'b', 'c']) await deps.put(`etc/cordon/mcp/${name}.toml`, named('system'))
  for (const name of ['a', 'b']) await deps.put(`home/.cordon/mcp/${name}.toml`, named('user'))
  const all = ['a: user (user)', 'b: user (user)', 'c: system (system)']
  assert.deepEqual(await shown(definitions), all)
  const { servers } = await definitions.load()
  assert.equal(
    servers[0]?.warnings[0],
    `hides ${deps.base}/etc/cordon/mcp/a.toml, which has the same name`,
  )
})

test('DEF-3: load() reports a bad file with its line, and loads the others', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('home/.cordon/mcp/good.toml', named('good'))
  const bad = await deps.put('home/.cordon/mcp/bad.toml', 'name = "x"\n[server\n')
  const latin = await deps.put('home/.cordon/mcp/latin.toml', '')
  await deps.files.write(latin, Buffer.from([0x6e, 0xff]))
  const upper = await deps.put('home/.cordon/mcp/Upper.toml', named('x'))
  await symlink(join(deps.base, 'home/.cordon/mcp/good.toml'), join(deps.userFolder, 'link.toml'))
  const listing = await definitions.load()
  assert.deepEqual(
    listing.servers.map(({ definition }) => definition.id),
    ['good'],
  )
  const problems = new Map(listing.problems.map((problem) => [problem.path, problem]))
  assert.equal(problems.get(bad)?.line, 2)
  assert.equal(problems.get(latin)?.message, 'expected UTF-8 text')
  assert.match(problems.get(upper)?.message ?? '', /expected a file name/)
  assert.match(problems.get(join(deps.userFolder, 'link.toml'))?.message ?? '', /symbolic link/)
})

test('load() lets a broken file hide a farther one, so that a typing mistake revives nothing', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('etc/cordon/mcp/a.toml', named('system'))
  await deps.put('home/.cordon/mcp/a.toml', 'enabled = flase')
  const listing = await definitions.load()
  assert.deepEqual(listing.servers, [])
  assert.equal(listing.problems.length, 1)
})

test('DEF-1: a project counts only after it is trusted, and only while its content stays', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const folder = join(deps.base, 'home/work')
  const path = await deps.put('home/work/.cordon/mcp/p.toml', named('first'))
  const untrusted = { folder, files: ['p.toml'] }

  assert.deepEqual((await definitions.load(folder)).untrusted, untrusted)
  assert.deepEqual(await shown(definitions, folder), [])

  const { hash } = await trust(definitions, folder)
  assert.match(hash, /^[0-9a-f]{64}$/)
  assert.deepEqual(await shown(definitions, folder), ['p: first (project)'])
  assert.equal((await definitions.load(folder)).untrusted, undefined)

  const changes: readonly (() => Promise<unknown>)[] = [
    () => deps.put(path, named('second')),
    () => deps.put('home/work/.cordon/mcp/q.toml', named('added')),
    () => deps.files.remove(path),
  ]
  for (const change of changes) {
    await change()
    assert.deepEqual(await shown(definitions, folder), [])
    assert.ok((await definitions.load(folder)).untrusted)
    await trust(definitions, folder)
    assert.notDeepEqual(await shown(definitions, folder), [])
  }

  await definitions.untrustProject(folder)
  assert.deepEqual(await shown(definitions, folder), [])
  assert.deepEqual(
    deps.events
      .map(({ kind, subject }) => [kind, subject])
      .filter(([kind]) => kind !== 'servers.hand-edit'),
    [...Array.from({ length: 4 }, () => ['servers.trust', folder]), ['servers.untrust', folder]],
  )
})

test('DEF-1: a trusted project cannot be widened by a link or a huge file', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const folder = join(deps.base, 'home/work')
  await deps.put('home/work/.cordon/mcp/p.toml', named('p'))
  await trust(definitions, folder)
  await symlink(await deps.put('evil', named('evil')), join(folder, '.cordon/mcp/link.toml'))
  await deps.put('home/work/.cordon/mcp/huge.toml', named('huge') + '#'.repeat(300_000))
  assert.deepEqual(await shown(definitions, folder), ['p: p (project)'])
  assert.equal((await definitions.load(folder)).problems.length, 2)
})

test('load() knows a project by its real folder, whichever link leads there', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('real/work/.cordon/mcp/p.toml', named('p'))
  await symlink(join(deps.base, 'real/work'), join(deps.base, 'alias'))
  await trust(definitions, join(deps.base, 'alias'))
  assert.deepEqual(await shown(definitions, join(deps.base, 'real/work')), ['p: p (project)'])
})

test("load() never takes the home folder or Cordon's own home for a project", async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('home/.cordon/mcp/u.toml', named('u'))
  await deps.put('.cordon/mcp/above.toml', named('above'))
  for (const folder of ['home', 'home/docs', 'nowhere']) {
    const listing = await definitions.load(join(deps.base, folder))
    assert.deepEqual(
      listing.servers.map(({ scope }) => scope),
      ['user'],
    )
    assert.equal(listing.untrusted?.folder, folder === 'nowhere' ? deps.base : undefined)
  }
  await assert.rejects(trust(definitions, join(deps.base, 'home')), {
    code: 'servers.no-project',
    exit: 2,
  })
  // A Cordon home inside a project folder is not one of the project's definition folders either.
  const inside = createDefinitions({ ...deps, homeFolder: join(deps.base, 'elsewhere') })
  const listing = await inside.load(join(deps.base, 'home'))
  assert.equal(listing.untrusted?.folder, deps.base)
})

test('trustProject() points to the project when it is asked about a folder below it', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('work/.cordon/mcp/p.toml', named('p'))
  await deps.put('work/src/x', '')
  await assert.rejects(trust(definitions, join(deps.base, 'work/src')), {
    code: 'servers.no-project',
    hint: `Run \`cordon mcp trust '${deps.base}/work'\``,
  })
})

test('load() accepts a hand edit, writes it down once, and tells of it until the next start', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const path = await deps.put('home/.cordon/mcp/a.toml', named('a'))
  await deps.put('etc/cordon/mcp/s.toml', named('s'))
  const warnings = async (from = definitions): Promise<readonly string[]> =>
    (await from.load()).servers.flatMap((server) => server.warnings)
  assert.deepEqual(await warnings(), ['written by hand'])
  assert.deepEqual(await warnings(), ['written by hand'])
  await deps.put(path, named('b'))
  assert.deepEqual(await warnings(), ['changed by hand since Cordon last wrote it'])
  assert.deepEqual(await warnings(), ['changed by hand since Cordon last wrote it'])
  assert.deepEqual(await warnings(createDefinitions(deps)), [])
  assert.deepEqual(
    deps.events.map(({ kind, subject }) => [kind, subject]),
    [
      ['servers.hand-edit', path],
      ['servers.hand-edit', path],
    ],
  )
})

test('load() lists a hand edit that cannot be recorded, and tells of it again', async () => {
  const { deps } = await open()
  await using _ = deps
  const refuse = async (): Promise<never> => {
    throw new CordonError('audit.damaged', { exit: 5, hint: '' }, 'Cannot write')
  }
  const definitions = createDefinitions({ ...deps, audit: { appendDurable: refuse } })
  await deps.put('home/.cordon/mcp/a.toml', named('user'))
  for (const _attempt of [1, 2]) {
    const { servers } = await definitions.load()
    assert.deepEqual(servers[0]?.warnings, [
      'written by hand; that could not be recorded (audit.damaged)',
    ])
  }
})

test('count() counts every file, and takes note of nothing', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('home/.cordon/mcp/a.toml', named('user'))
  await deps.put('etc/cordon/mcp/a.toml', named('system'))
  await deps.put('etc/cordon/mcp/b.toml', 'broken =')
  assert.equal(await definitions.count(), 2)
  assert.deepEqual(deps.events, [])
})

test('load() does not accept a hand edit that does not load', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('home/.cordon/mcp/a.toml', 'nonsense')
  await definitions.load()
  assert.deepEqual(deps.events, [])
})
