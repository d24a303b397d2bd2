import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { ImportReport } from '../../kernel/import-report.ts'
import { OWNER } from '../../kernel/principal.ts'
import { createDefinitions } from '../create-definitions.ts'
import { type FakeRooms, openFakeRooms } from '../fake-deps.ts'

const CONFIG = JSON.stringify({
  mcpServers: {
    a: { command: 'new', env: { A_TOKEN: 'canary-a-secret' } },
    b: { command: 'new', env: { B_TOKEN: 'canary-b-secret' } },
  },
})
const OLD = '# mine\nname = "old"\n\n[server]\ncommand = "old"\n'

/** A home that already has its own server `b`, and a source to import. */
async function prepare(): Promise<FakeRooms> {
  const rooms = await openFakeRooms()
  await rooms.put('home/.cordon/mcp/b.toml', OLD)
  await rooms.put('source/mcp.json', CONFIG)
  return rooms
}

async function migrate(rooms: FakeRooms, backup = true): Promise<ImportReport> {
  const path = join(rooms.base, 'source/mcp.json')
  return await createDefinitions(rooms).migrate(OWNER.id, {
    path,
    dryRun: false,
    backup,
    replace: true,
  })
}

async function undo(rooms: FakeRooms, id?: string): Promise<ImportReport> {
  return await createDefinitions(rooms).undo(OWNER.id, id)
}

async function homeOf(rooms: FakeRooms): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(rooms.userFolder)
  const entries = names.map(async (name) => [
    name,
    await readFile(join(rooms.userFolder, name), 'utf8'),
  ])
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>
}

const actions = ({ servers }: ImportReport): Readonly<Record<string, string>> =>
  Object.fromEntries(servers.map(({ server, action }) => [server, action]))

test('undo() removes what was created, restores what was replaced, and empties the vault again', async () => {
  await using rooms = await prepare()
  const { id } = await migrate(rooms)
  assert.deepEqual([...rooms.secrets.keys()], ['a/A_TOKEN', 'b/B_TOKEN', `import-backup/${id}`])
  const report = await undo(rooms)
  assert.deepEqual(actions(report), { a: 'removed', b: 'restored' })
  assert.equal(report.id, id)
  assert.deepEqual(await homeOf(rooms), { 'b.toml': OLD })
  assert.equal(rooms.secrets.size, 0)
  assert.deepEqual(rooms.events.at(-1)?.kind, 'servers.undo')
  await assert.rejects(undo(rooms), { code: 'servers.no-import', exit: 2 })
  const { servers } = await createDefinitions(rooms).load(OWNER.id)
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
    await using rooms = await prepare()
    let left = crash
    rooms.beforeStep = (step) => {
      if (left === 0) throw new Error(`killed before ${step}`)
      left -= 1
    }
    await assert.rejects(
      migrate(rooms).then(() => undo(rooms)),
      /killed before/,
    )
    rooms.beforeStep = () => undefined
    if (rooms.journals.size > 0) await undo(rooms)
    assert.deepEqual(await homeOf(rooms), { 'b.toml': OLD }, `killed before step ${crash}`)
    assert.deepEqual([...rooms.secrets.keys()], [], `killed before step ${crash}`)
  }
})

test('undo() keeps what was changed by hand since, with the secrets it names', async () => {
  await using rooms = await prepare()
  await migrate(rooms)
  const edited = `${(await homeOf(rooms))['a.toml'] ?? ''}# mine now\n`
  await rooms.put(join(rooms.userFolder, 'a.toml'), edited)
  const report = await undo(rooms)
  assert.deepEqual(actions(report), { a: 'kept', b: 'restored' })
  assert.match(report.servers[0]?.notes.join() ?? '', /changed by hand/)
  assert.deepEqual(await homeOf(rooms), { 'a.toml': edited, 'b.toml': OLD })
  assert.deepEqual([...rooms.secrets.keys()], ['a/A_TOKEN'])
  assert.match(report.notes.join(), /secret a\/A_TOKEN stays in the vault/)
})

test('undo() keeps a secret that another definition names, also one with a mistake in it', async () => {
  await using rooms = await prepare()
  await migrate(rooms)
  await rooms.put(
    'home/.cordon/mcp/c.toml',
    'oops = = \n[auth]\nX = "vault:a/A_TOKEN-2"\nY = "vault:a/A_TOKEN"\n',
  )
  await undo(rooms)
  assert.deepEqual([...rooms.secrets.keys()], ['a/A_TOKEN'])
})

test('undo() restores the source from its copy when it is gone, and leaves it when it has changed', async () => {
  await using rooms = await prepare()
  const source = join(rooms.base, 'source/mcp.json')
  await migrate(rooms)
  await rm(source)
  const report = await undo(rooms)
  assert.match(report.notes.join(), /mcp\.json was missing and is back/)
  assert.equal(await readFile(source, 'utf8'), CONFIG)

  const { id } = await migrate(rooms)
  await rooms.put(source, '{}')
  const second = await undo(rooms, id)
  assert.match(
    second.notes.join(),
    /mcp\.json has changed since.*stays in the vault as import-backup/,
  )
  assert.equal(await readFile(source, 'utf8'), '{}')
  assert.deepEqual([...rooms.secrets.keys()], [`import-backup/${id}`])
})

test('undo() touches nothing when the copy it needs is locked away', async () => {
  await using rooms = await prepare()
  await migrate(rooms)
  await rm(join(rooms.base, 'source/mcp.json'))
  const before = await homeOf(rooms)
  rooms.vaultState = 'locked'
  await assert.rejects(undo(rooms), /locked/)
  assert.deepEqual(await homeOf(rooms), before)
})

test('a copy holds the original byte for byte, cut into parts that the vault takes', async () => {
  await using rooms = await prepare()
  const noise = randomBytes(100_000).toString('base64')
  const source = await rooms.put('source/mcp.json', `// ${noise}\n${CONFIG}`)
  const bytes = await readFile(source)
  const { id } = await migrate(rooms)
  const parts = [...rooms.secrets].filter(([name]) => name.startsWith('import-backup/'))
  assert.deepEqual(
    parts.map(([name]) => name),
    [`import-backup/${id}`, `import-backup/${id}/2`, `import-backup/${id}/3`],
  )
  assert.ok(parts.every(([, value]) => value.length <= 65_536))
  await rm(source)
  await undo(rooms)
  assert.deepEqual(await readFile(source), bytes)
})

test('migrate() refuses a copy that is too large before it writes anything', async () => {
  await using rooms = await prepare()
  await rooms.put('source/mcp.json', `// ${randomBytes(2_000_000).toString('base64')}\n${CONFIG}`)
  await assert.rejects(migrate(rooms), { code: 'servers.backup-size', exit: 2 })
  assert.deepEqual(rooms.steps, [])
})

test('undo() takes back the newest import first, or the one that is named', async () => {
  await using rooms = await openFakeRooms()
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    await rooms.put('source/mcp.json', JSON.stringify({ mcpServers: { [name]: { command: 'x' } } }))
    ids.push((await migrate(rooms, false)).id)
  }
  assert.deepEqual(actions(await undo(rooms)), { three: 'removed' })
  assert.deepEqual(actions(await undo(rooms, ids[0])), { one: 'removed' })
  assert.deepEqual(Object.keys(await homeOf(rooms)), ['two.toml'])
})
