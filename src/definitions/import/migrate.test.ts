import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { ImportRequest } from '../../kernel/import-report.ts'
import type { Definitions } from '../../kernel/ports.ts'
import { createDefinitions } from '../create-definitions.ts'
import { type FakeDeps, openFakeDeps } from '../fake-deps.ts'

const TOKEN = 'ghp_canary0123456789canary0123456789'

interface Setting {
  readonly deps: FakeDeps
  readonly definitions: Definitions
  readonly migrate: (
    content: unknown,
    options?: Partial<ImportRequest>,
  ) => ReturnType<Definitions['migrate']>
}

async function open(): Promise<Setting> {
  const deps = await openFakeDeps()
  const definitions = createDefinitions(deps)
  const migrate: Setting['migrate'] = async (content, options) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const path = await deps.put('source/mcp.json', text)
    const usual = { path, dryRun: false, backup: false, replace: false }
    return await definitions.migrate({ ...usual, ...options })
  }
  return { deps, definitions, migrate }
}

const github = { mcpServers: { github: { command: 'x', env: { GITHUB_TOKEN: TOKEN } } } }

async function filesOf(deps: FakeDeps): Promise<readonly string[]> {
  return await readdir(deps.userFolder).catch((): string[] => [])
}

test('migrate() writes the journal first, then the record, the vault and the files', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  const { id } = await migrate(github, { backup: true })
  assert.deepEqual(deps.steps, [
    'journal',
    'audit servers.import',
    'vault set github/GITHUB_TOKEN',
    `vault set import-backup/${id}`,
    `write ${deps.userFolder}/github.toml`,
  ])
  assert.deepEqual(deps.events[0]?.details, {
    id,
    format: 'mcp.json',
    servers: ['github'],
    secrets: ['github/GITHUB_TOKEN'],
    backup: true,
  })
})

test('migrate() leaves the source as it was, and its own files raise no hand-edit warning', async () => {
  const { deps, definitions, migrate } = await open()
  await using _ = deps
  await migrate(github)
  assert.equal(await readFile(join(deps.base, 'source/mcp.json'), 'utf8'), JSON.stringify(github))
  const { servers } = await definitions.load()
  assert.deepEqual(servers[0]?.warnings, [])
})

test('migrate() in a dry run touches nothing and reports the same', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  const planned = await migrate(github, { dryRun: true, backup: true })
  assert.deepEqual([deps.steps, deps.secrets.size, deps.journals.size], [[], 0, 0])
  const done = await migrate(github, { backup: true })
  assert.deepEqual({ ...planned, id: done.id, dryRun: false }, done)
})

test('migrate() refuses before it writes anything while the vault is locked', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  deps.vaultState = 'locked'
  await assert.rejects(migrate(github), {
    code: 'servers.vault-needed',
    exit: 4,
    hint: 'Run `cordon vault unlock`, then try again',
  })
  assert.deepEqual(deps.steps, [])
  const planned = await migrate(github, { dryRun: true })
  assert.match(planned.notes.join(), /first: Run `cordon vault unlock/)
  await migrate({ mcpServers: { plain: { command: 'x' } } })
  assert.deepEqual(await filesOf(deps), ['plain.toml'])
})

test('migrate() keeps a definition that is there, and replaces it only when told to', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  const before = '# mine\nname = "old" # keep me\n\n[server]\ncommand = "old"\n'
  await deps.put('home/.cordon/mcp/github.toml', before)
  const kept = await migrate(github)
  assert.deepEqual(
    kept.servers.map(({ action, movedSecrets }) => [action, movedSecrets]),
    [['kept', []]],
  )
  assert.match(kept.servers[0]?.notes.join() ?? '', /--replace/)
  assert.deepEqual([deps.secrets.size, deps.journals.size], [0, 0])

  const replaced = await migrate(github, { replace: true })
  assert.equal(replaced.servers[0]?.action, 'replaced')
  const text = await readFile(join(deps.userFolder, 'github.toml'), 'utf8')
  assert.match(text, /^# mine\nname = "github" # keep me\n/)
  assert.match(text, /\[auth\]\nGITHUB_TOKEN = "vault:github\/GITHUB_TOKEN"\n/)
})

test('migrate() makes no copy of a definition that holds a secret, so it does not replace it', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  for (const secret of [
    `# ${TOKEN}\n[server]\ncommand = "x"`,
    '[server]\ncommand = "x"\n[env]\nDB_PASSWORD = "canary"',
  ]) {
    await deps.put('home/.cordon/mcp/github.toml', secret)
    const { servers } = await migrate(github, { replace: true })
    assert.equal(servers[0]?.action, 'kept')
    assert.match(servers[0]?.notes.join() ?? '', /holds a secret in plain text/)
    assert.equal(deps.journals.size, 0)
  }
})

test('migrate() never overwrites a secret that the vault holds', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  deps.secrets.set('github/GITHUB_TOKEN', Buffer.from('first'))
  deps.secrets.set('github/GITHUB_TOKEN-2', Buffer.from('second'))
  const { servers } = await migrate(github)
  assert.deepEqual(servers[0]?.movedSecrets, ['github/GITHUB_TOKEN-3'])
  assert.equal(deps.secrets.get('github/GITHUB_TOKEN')?.toString(), 'first')
  assert.match(
    await readFile(join(deps.userFolder, 'github.toml'), 'utf8'),
    /"vault:github\/GITHUB_TOKEN-3"/,
  )
})

test('migrate() gives every server its own file, whatever the names', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  const long = 'x'.repeat(80)
  const names = [
    'My Server',
    'my-server',
    'my server!',
    '日本',
    '!!!',
    '../../etc/passwd',
    long,
    `${long}y`,
    '__proto__',
  ]
  const entries = names.map((name) => `${JSON.stringify(name)}: { "command": "x" }`)
  const report = await migrate(`{ "mcpServers": { ${entries.join(',')} } }`)
  assert.deepEqual(
    report.servers.map(({ server }) => server),
    [
      'my-server',
      'my-server-2',
      'my-server-3',
      'server',
      'server-2',
      'etc-passwd',
      'x'.repeat(63),
      `${'x'.repeat(61)}-2`,
      'proto',
    ],
  )
  assert.deepEqual(
    new Set(await filesOf(deps)),
    new Set(report.servers.map(({ server }) => `${server}.toml`)),
  )
})

test('migrate() keeps one value in one secret, and drops comments that hold it', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const path = await deps.put(
    'pfar/x.toml',
    `# fine\nname = "X"\n[server]\ncommand = "x"\n# old: ${TOKEN}\n[auth]\nA = "${TOKEN}"\n[env]\nB = "${TOKEN}"\nC = "c"\n`,
  )
  const request = { path, dryRun: false, backup: false, replace: false }
  const { servers } = await definitions.migrate(request)
  assert.deepEqual(servers[0]?.movedSecrets, ['x/A'])
  const text = await readFile(join(deps.userFolder, 'x.toml'), 'utf8')
  assert.doesNotMatch(text, /canary|fine/)
  for (const name of ['A', 'B']) assert.match(text, new RegExp(`^${name} = "vault:x/A"$`, 'm'))
  assert.match(text, /C = "c"/)
})

test('migrate() keeps fields that it does not know, but no secret in them', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  const path = await deps.put(
    'pfar/x.toml',
    'api_token = "canary"\nborn = 2026-01-01\n[server]\ncommand = "x"\nextra = 1\n[more]\npassword = "canary2"\nlevel = 3\n',
  )
  const request = { path, dryRun: false, backup: false, replace: false }
  const { servers } = await definitions.migrate(request)
  assert.deepEqual(servers[0]?.movedSecrets, ['x/api_token', 'x/more.password'])
  const text = await readFile(join(deps.userFolder, 'x.toml'), 'utf8')
  assert.match(text, /^api_token = "vault:x\/api_token"\nborn = 2026-01-01\n/)
  assert.match(text, /extra = 1[^]*level = 3/)
  assert.doesNotMatch(text, /canary/)
})

test('migrate() takes a folder of TOML files, and reports the broken one', async () => {
  const { deps, definitions } = await open()
  await using _ = deps
  await deps.put('pfar/a.toml', '# why\n[server]\ncommand = "a"\n')
  const broken = await deps.put('pfar/b.toml', 'name = "b"\n[server\n')
  const path = join(deps.base, 'pfar')
  const report = await definitions.migrate({
    path,
    dryRun: false,
    backup: false,
    replace: false,
  })
  assert.deepEqual(
    report.servers.map(({ server }) => server),
    ['a'],
  )
  assert.deepEqual(
    report.problems.map(({ path: file, line }) => [file, line]),
    [[broken, 2]],
  )
  assert.match(await readFile(join(deps.userFolder, 'a.toml'), 'utf8'), /^# why\n/)
})

test('migrate() reports servers that would not load, and imports the others', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  const report = await migrate({
    mcpServers: {
      nothing: {},
      plain: { url: 'http://h.example/' },
      odd: { type: 'carrier-pigeon', command: 'x' },
      long: { command: 'x', env: { A_TOKEN: `canary${'x'.repeat(70_000)}` } },
      text: 'not an object',
      fine: { command: 'x' },
    },
  })
  assert.deepEqual(await filesOf(deps), ['fine.toml'])
  assert.deepEqual(
    report.problems.map(({ message }) => /^server "\w+": (?:\w+: )?expected/.exec(message)?.[0]),
    ['nothing: server', 'plain: url', 'odd: transport', 'long', 'text: server'].map((where) => {
      const [server, field] = where.split(': ')
      return `server "${server}": ${field === undefined ? '' : `${field}: `}expected`
    }),
  )
  assert.doesNotMatch(JSON.stringify(report), /canary/)
})

test('migrate() takes its turn: two at once do not choose the same name', async () => {
  const { deps, migrate } = await open()
  await using _ = deps
  const reports = await Promise.all([migrate(github), migrate(github)])
  const actions = reports.map(({ servers }) => servers[0]?.action)
  assert.deepEqual(new Set(actions), new Set(['created', 'kept']))
})
