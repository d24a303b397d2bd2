/** Every configuration sample of the source documents, unmodified, through a whole import and back. */
import assert from 'node:assert/strict'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { showSecretRef } from '../../src/kernel/secret-ref.ts'
import { createDefinitions } from '../../src/definitions/create-definitions.ts'
import { openFakeDeps } from '../../src/definitions/fake-deps.ts'

/** The programs of the samples are on their authors' machines, of which a definition warns. */
const isOfThisMachine = (warning: string): boolean => !warning.includes('there is no file')

const SAMPLES = join(import.meta.dirname, '../fixtures/samples')

interface Expected {
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
  readonly transport?: string
  readonly auth?: Readonly<Record<string, string>>
  readonly start?: string
  readonly version?: string
  readonly scopes?: readonly string[]
  readonly allowedDomains?: readonly string[]
}

const notion: Expected = {
  command: 'node',
  args: ['/home/user/.pfar/mcp-servers/notion/index.js'],
  auth: { NOTION_TOKEN: 'vault:notion/notion_token' },
  allowedDomains: ['api.notion.com'],
}

/** Sample, its recognised format, and the expected definition of each of its servers. */
const CASES: readonly (readonly [string, string, Readonly<Record<string, Expected>>])[] = [
  ['pfar', 'TOML', { notion }],
  ['pfar-v1/notion.toml', 'TOML', { notion }],
  [
    'pflow/mcp.json',
    'mcp.json',
    {
      'local-fs': {
        command: 'mcp-fs',
        args: [],
        start: 'eager',
        version: '0.3.0',
        transport: 'stdio',
      },
      'weather-remote': {
        transport: 'sse',
        url: 'https://api.weathercorp.com/sse',
        auth: { bearer: 'vault:weather-remote/PFLOW_WEATHER_TOKEN' },
        version: '1.2.4',
        allowedDomains: ['api.weathercorp.com'],
      },
    },
  ],
  [
    'pflow/local-node.json',
    'mcp.json',
    {
      gh: {
        command: 'npx',
        args: ['-y', 'mcp-github'],
        auth: { GITHUB_TOKEN: 'vault:gh/GITHUB_TOKEN' },
        start: 'eager',
      },
    },
  ],
  ['pflow/local-python.json', 'mcp.json', { mem: { command: 'python', args: ['mcp_mem.py'] } }],
  [
    'pflow/remote-sse.json',
    'mcp.json',
    {
      stripe: {
        url: 'https://billing.example.com/sse',
        auth: { bearer: 'vault:stripe/STRIPE_MCP_KEY' },
      },
    },
  ],
  [
    'pflow/registry-entry.json',
    'pflow registry',
    { 'github-server': { command: 'mcp-github', version: '1.2.0', transport: 'stdio' } },
  ],
  [
    'pflow/server-auth.json',
    'pflow registry',
    {
      'github-enterprise': {
        transport: 'sse',
        url: 'https://api.github.internal/mcp',
        auth: { bearer: 'vault:github-enterprise/GITHUB_ENTERPRISE_TOKEN' },
        scopes: ['repo:read', 'user:read'],
      },
    },
  ],
  [
    'personal-agent/config.json',
    'PersonalAgent',
    {
      github: {
        command: 'npx',
        args: ['-y', '@github/mcp-server'],
        auth: { GITHUB_TOKEN: 'vault:github/GITHUB_TOKEN' },
      },
    },
  ],
]

for (const [sample, format, expected] of CASES) {
  test(`${sample} is imported as it stands, loads without a warning, and can be taken back`, async () => {
    await using rooms = await openFakeDeps()
    const definitions = createDefinitions(rooms)
    const path = join(SAMPLES, sample)
    const request = { path, dryRun: false, backup: true, replace: false }
    const report = await definitions.migrate(request)
    assert.equal(report.format, format)
    assert.deepEqual(report.problems, [])

    const { servers, problems } = await definitions.load()
    assert.deepEqual(problems, [])
    assert.deepEqual(
      servers.map(({ definition }) => definition.id).sort(),
      Object.keys(expected).sort(),
    )
    for (const { definition, warnings } of servers) {
      assert.deepEqual(warnings.filter(isOfThisMachine), [])
      const wanted = expected[definition.id] ?? {}
      const refs = Object.entries(definition.auth).map(([key, ref]) => [key, showSecretRef(ref)])
      const found = { ...definition, auth: Object.fromEntries(refs) as object }
      for (const [field, value] of Object.entries(wanted)) {
        assert.deepEqual(found[field as keyof typeof found], value, `${definition.id}.${field}`)
      }
    }

    await definitions.undo()
    assert.deepEqual(await readdir(rooms.userFolder), [])
    assert.equal(rooms.secrets.size, 0)
  })
}

test('PFAR definitions also load where they are, with no import', async () => {
  await using rooms = await openFakeDeps()
  for (const version of ['pfar', 'pfar-v1']) {
    await cp(
      join(SAMPLES, version, 'notion.toml'),
      await rooms.put(join(version, 'notion.toml'), ''),
    )
    const userFolder = join(rooms.base, version)
    const { servers } = await createDefinitions({ ...rooms, userFolder }).load()
    assert.deepEqual(
      servers.map(({ definition, warnings }) => [
        definition.name,
        definition.sandbox.memoryLimitBytes,
        warnings.filter(isOfThisMachine),
      ]),
      [['notion', 256 * 2 ** 20, ['written by hand']]],
    )
  }
})

test("DEF-2 PersonalAgent's stored key and OAuth answer go to the vault, and nowhere else", async () => {
  for (const authType of ['api_key', 'oauth']) {
    await using rooms = await openFakeDeps()
    const folder = join(rooms.base, 'agent')
    await cp(join(SAMPLES, 'personal-agent'), folder, { recursive: true })
    const path = join(folder, 'config.json')
    const config = await readFile(path, 'utf8')
    await rooms.put(path, config.replace('"api_key"', `"${authType}"`))
    const definitions = createDefinitions(rooms)
    const report = await definitions.migrate({
      path,
      dryRun: false,
      backup: true,
      replace: false,
    })
    const { servers } = await definitions.load()
    const name = authType === 'api_key' ? 'github/GITHUB_TOKEN' : 'oauth/github'
    assert.deepEqual(report.servers[0]?.movedSecrets, [name])
    assert.match(rooms.secrets.get(name)?.toString() ?? '', /gh[po]_x{20}/)
    const toml = await readFile(join(rooms.userFolder, 'github.toml'), 'utf8')
    const visible = JSON.stringify([report, servers, toml, rooms.events, [...rooms.journals]])
    assert.doesNotMatch(visible, /gh[por]_x/)
  }
})
