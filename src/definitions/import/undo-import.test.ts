import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { ImportReport } from '../../kernel/import-report.ts'
import { createDefinitions } from '../create-definitions.ts'
import { type FakeDeps, openFakeDeps } from '../fake-deps.ts'

const CONFIG = JSON.stringify({
  mcpServers: {
    a: { command: 'new', env: { A_TOKEN: 'canary-a-secret' } },
    b: { command: 'new', env: { B_TOKEN: 'canary-b-secret' } },
  },
})
const OLD = '# mine\nname = "old"\n\n[server]\ncommand = "old"\n'

/** A home that already has its own server `b`, and a source to import. */
async function prepare(): Promise<FakeDeps> {
  const deps = await openFakeDeps()
  await deps.put('home/.cordon/mcp/b.toml', OLD)
  await deps.put('source/mcp.json', CONFIG)
  return deps
}

async function migrate(deps: FakeDeps, backup = true): Promise<ImportReport> {
  const path = join(deps.base, 'source/mcp.json')
  return await createDefinitions(deps).migrate({
    path,
    dryRun: false,
    backup,
    replace: true,
  })
}

async function undo(deps: FakeDeps, id?: string): Promise<ImportReport> {
  return await createDefinitions(deps).undo(id)
}

async function homeOf(deps: FakeDeps): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(deps.userFolder)
  const entries = names.map(async (name) => [
    name,
    await readFile(join(deps.userFolder, name), 'utf8'),
  ])
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>
}

const actions = ({ servers }: ImportReport): Readonly<Record<string, string>> =>
  Object.fromEntries(servers.map(({ server, action }) => [server, action]))

test('undo() removes what was created, restores what was replaced, and empties the vault again', async () => {
  await using deps = await prepare()
  const { id } = await migrate(deps)
  assert.deepEqual([...deps.secrets.keys()], ['a/A_TOKEN', 'b/B_TOKEN', `import-backup/${id}`])
  const report = await undo(deps)
  assert.deepEqual(actions(report), { a: 'removed', b: 'restored' })
  assert.equal(report.id, id)
  assert.deepEqual(await homeOf(deps), { 'b.toml': OLD })
  assert.equal(deps.secrets.size, 0)
  assert.deepEqual(deps.events.at(-1)?.kind, 'servers.undo')
  await assert.rejects(undo(deps), { code: 'servers.no-import', exit: 2 })
  const { servers } = await createDefinitions(deps).load()
  assert.deepEqual(
    servers.map(({ warnings }) => warnings),
    [[]],
  )
})

test('undo() cleans up after an import that was killed at any step, and after an undo that was', async () => {
  await using whole = await prepare()
  await migrate(whole)
  await undo(whole)
  const count = whole.steps.length
  assert.ok(count > 10)
  for (let crash = 0; crash < count; crash += 1) {
    await using deps = await prepare()
    let left = crash
    deps.beforeStep = (step) => {
      if (left === 0) throw new Error(`killed before ${step}`)
      left -= 1
    }
    await assert.rejects(
      migrate(deps).then(() => undo(deps)),
      /killed before/,
    )
    deps.beforeStep = () => undefined
    if (deps.journals.size > 0) await undo(deps)
    assert.deepEqual(await homeOf(deps), { 'b.toml': OLD }, `killed before step ${crash}`)
    assert.deepEqual([...deps.secrets.keys()], [], `killed before step ${crash}`)
  }
})

test('undo() keeps what was changed by hand since, with the secrets it names', async () => {
  await using deps = await prepare()
  await migrate(deps)
  const edited = `${(await homeOf(deps))['a.toml'] ?? ''}# mine now\n`
  await deps.put(join(deps.userFolder, 'a.toml'), edited)
  const report = await undo(deps)
  assert.deepEqual(actions(report), { a: 'kept', b: 'restored' })
  assert.match(report.servers[0]?.notes.join() ?? '', /changed by hand/)
  assert.deepEqual(await homeOf(deps), { 'a.toml': edited, 'b.toml': OLD })
  assert.deepEqual([...deps.secrets.keys()], ['a/A_TOKEN'])
  assert.match(report.notes.join(), /secret a\/A_TOKEN stays in the vault/)
})

test('undo() keeps a secret that another definition names, also one with a mistake in it', async () => {
  await using deps = await prepare()
  await migrate(deps)
  await deps.put(
    'home/.cordon/mcp/c.toml',
    'oops = = \n[auth]\nX = "vault:a/A_TOKEN-2"\nY = "vault:a/A_TOKEN"\n',
  )
  await undo(deps)
  assert.deepEqual([...deps.secrets.keys()], ['a/A_TOKEN'])
})

test('undo() restores the source from its copy when it is gone, and leaves it when it has changed', async () => {
  await using deps = await prepare()
  const source = join(deps.base, 'source/mcp.json')
  await migrate(deps)
  await rm(source)
  const report = await undo(deps)
  assert.match(report.notes.join(), /mcp\.json was missing and is back/)
  assert.equal(await readFile(source, 'utf8'), CONFIG)

  const { id } = await migrate(deps)
  await deps.put(source, '{}')
  const second = await undo(deps, id)
  assert.match(
    second.notes.join(),
    /mcp\.json has changed since.*stays in the vault as import-backup/,
  )
  assert.equal(await readFile(source, 'utf8'), '{}')
  assert.deepEqual([...deps.secrets.keys()], [`import-backup/${id}`])
})

test('undo() touches nothing when the copy it needs is locked away', async () => {
  await using deps = await prepare()
  await migrate(deps)
  await rm(join(deps.base, 'source/mcp.json'))
  const before = await homeOf(deps)
  deps.vaultState = 'locked'
  await assert.rejects(undo(deps), /locked/)
  assert.deepEqual(await homeOf(deps), before)
})

test('a copy holds the original byte for byte, cut into parts that the vault takes', async () => {
  await using deps = await prepare()
  const noise = randomBytes(100_000).toString('base64')
  const source = await deps.put('source/mcp.json', `// ${noise}\n${CONFIG}`)
  const bytes = await readFile(source)
  const { id } = await migrate(deps)
  const parts = [...deps.secrets].filter(([name]) => name.startsWith('import-backup/'))
  assert.deepEqual(
    parts.map(([name]) => name),
    [`import-backup/${id}`, `import-backup/${id}/2`, `import-backup/${id}/3`],
  )
  assert.ok(parts.every(([, value]) => value.length <= 65_536))
  await rm(source)
  await undo(deps)
  assert.deepEqual(await readFile(source), bytes)
})

test('migrate() refuses a copy that is too large before it writes anything', async () => {
  await using deps = await prepare()
  await deps.put('source/mcp.json', `// ${randomBytes(2_000_000).toString('base64')}\n${CONFIG}`)
  await assert.rejects(migrate(deps), { code: 'servers.backup-size', exit: 2 })
  assert.deepEqual(deps.steps, [])
})

test('undo() takes back the newest import first, or the one that is named', async () => {
  await using deps = await openFakeDeps()
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    await deps.put('source/mcp.json', JSON.stringify({ mcpServers: { [name]: { command: 'x' } } }))
    ids.push((await migrate(deps, false)).id)
  }
  assert.deepEqual(actions(await undo(deps)), { three: 'removed' })
  assert.deepEqual(actions(await undo(deps, ids[0])), { one: 'removed' })
  assert.deepEqual(Object.keys(await homeOf(deps)), ['two.toml'])
})
