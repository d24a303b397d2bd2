import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Service } from '../../ports/service-facts.ts'
import { KNOWN_SERVICES } from '../known-services.ts'
import { isSecretName } from '../../text/secret-name.ts'
import { parseServerEntry } from './server-entry.ts'
import { onlyInFull, rounds } from '../../kernel/test-rounds.ts'

/** Real entries; they are not part of the project. */
const REAL = new URL('../../../../shared/data/registry/servers.json', import.meta.url)

function parsed(entry: unknown): Service {
  const result = parseServerEntry(entry, 'official')
  assert.ok(result.kind === 'service', result.kind === 'unusable' ? result.reason : '')
  return result.service
}

function npm(changes: object = {}): Service {
  const entry = {
    registryType: 'npm',
    identifier: '@acme/tracker',
    version: '1.2.3',
    transport: { type: 'stdio' },
    ...changes,
  }
  return parsed({
    name: 'dev.acme/tracker',
    description: 'Tracks',
    version: '1.2.3',
    packages: [entry],
  })
}

test('every real entry loads or gives a reason', {
  skip: onlyInFull.skip || (!existsSync(REAL) && 'the real entries are not here'),
}, (context) => {
  const { servers } = JSON.parse(readFileSync(REAL, 'utf8')) as { servers: unknown[] }
  const counts = new Map<string, number>()
  const known = new Set<string>(KNOWN_SERVICES.map(({ slug }) => slug))
  for (const entry of servers) {
    const result = parseServerEntry(entry, 'official')
    const kind =
      result.kind === 'service' ? result.service.launch.kind : `unusable: ${result.reason}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    if (result.kind !== 'service') continue
    assert.ok(!known.has(result.service.slug), 'no stranger takes the name of a known service')
    for (const { secret } of result.service.credentials)
      assert.ok(!secret || /^(?:official|found)\//.test(secret))
  }
  context.diagnostic(JSON.stringify(Object.fromEntries(counts)))
  assert.equal(servers.length, 2354)
  assert.deepEqual(Object.fromEntries(counts), {
    image: 147,
    npm: 767,
    pypi: 395,
    remote: 873,
    unsupported: 108,
    'unusable: it names neither a package nor an address': 64,
  })
})

test('parseServerEntry() finds secrets that their publishers forgot to mark', () => {
  const forgotten =
    'DRUID_AUTH_PASSWORD BUGSNAG_PROJECT_API_KEY NCBI_API_KEY AUTOPLANS_API_KEY CODELOGIC_PASSWORD PAGERDUTY_USER_API_KEY SNOWFLAKE_PASSWORD SNOWFLAKE_PRIVATE_KEY SNOWFLAKE_PRIVATE_KEY_FILE_PWD OPENAI_API_KEY CROIT_API_TOKEN BGG_API_KEY BGG_COOKIE SAUCE_ACCESS_KEY githubToken x-api-key'.split(
      ' ',
    )
  for (const name of forgotten) assert.ok(isSecretName(name, 'declared'), name)
  const settings =
    'MCP_AUTH_MODE DRUID_AUTH_USERNAME DOCSPACE_OAUTH_BASE_URL DOCSPACE_OAUTH_AUTH_TOKEN_TTL APP_STORE_PRIVATE_KEY_PATH SNOWFLAKE_PRIVATE_KEY_FILE NEO4J_RESPONSE_TOKEN_LIMIT SERVICENOW_AUTH_TYPE TOKEN_OPTIMIZER_CACHE_DIR TOKEN_EXPIRATION LOG_LEVEL MONKEY'.split(
      ' ',
    )
  for (const name of settings) assert.ok(!isSecretName(name, 'declared'), name)
  const { credentials } = npm({
    environmentVariables: [{ name: 'ACME_API_KEY' }, { name: 'LOG_LEVEL' }],
  })
  assert.deepEqual(
    credentials.map(({ key, secret, required }) => [key, secret, required]),
    [['ACME_API_KEY', 'official/dev.acme/tracker/acme_api_key', false]],
  )
})

test('parseServerEntry() reads the first schema, which spelled its fields with underscores', () => {
  const { launch, credentials } = parsed({
    name: 'io.github.acme/tracker',
    description: 'Tracks',
    status: 'active',
    packages: [
      {
        registry_type: 'npm',
        identifier: 'tracker-mcp',
        version: '0.1.0',
        runtime_hint: 'npx',
        package_arguments: [{ type: 'positional', value: 'stdio' }],
        environment_variables: [
          { name: 'SITE', is_required: true },
          { name: 'ACCESS', is_secret: true },
        ],
      },
    ],
  })
  assert.deepEqual(launch, {
    kind: 'npm',
    package: 'tracker-mcp',
    version: '0.1.0',
    args: ['stdio'],
  })
  assert.deepEqual(
    credentials.map(({ key, secret }) => [key, secret !== undefined]),
    [
      ['SITE', false],
      ['ACCESS', true],
    ],
  )
})

test('parseServerEntry() gives a stranger neither a known name nor a known secret', () => {
  const stranger = parsed({
    name: 'io.github.evil/notion',
    title: 'Notion',
    packages: [
      {
        registryType: 'npm',
        identifier: 'notion-x',
        version: '1.0.0',
        environmentVariables: [{ name: 'NOTION_TOKEN', isSecret: true }],
      },
    ],
  })
  assert.equal(stranger.slug, 'evil')
  assert.equal(stranger.credentials[0]?.secret, 'official/io.github.evil/notion/notion_token')
  assert.notEqual(stranger.origin, 'catalog')
})

test('parseServerEntry() shows nothing that moves the cursor or turns the text', () => {
  const { title, about } = parsed({
    name: 'a/b',
    title: 'Nice\u001b[2J\u202e',
    description: `x\r\n${'y'.repeat(9999)}`,
    remotes: [{ url: 'https://acme.dev/mcp' }],
  })
  assert.equal(title, 'Nice[2J')
  assert.ok(about.length <= 201 && !/[\r\n]/.test(about))
})

test('parseServerEntry() gives a reason for what it cannot use', () => {
  const entries = [
    null,
    1,
    'x',
    [],
    {},
    { name: 5 },
    { name: 'a b/c' },
    { name: 'a/b' },
    {
      server: { name: 'a/b' },
      _meta: { 'io.modelcontextprotocol.registry/official': { status: 'deleted' } },
    },
  ]
  for (const entry of entries) assert.equal(parseServerEntry(entry, 'official').kind, 'unusable')
})

test('parseServerEntry() never throws', () => {
  const key = fc.constantFrom(
    'server',
    'name',
    'packages',
    'remotes',
    'registryType',
    'identifier',
    'version',
    'transport',
    'type',
    'url',
    'headers',
    'environmentVariables',
    'packageArguments',
    'value',
    'variables',
    'default',
    'isSecret',
    'isRequired',
    'choices',
    'description',
    '__proto__',
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<unknown>(
        'npm',
        'a/b',
        'stdio',
        'named',
        'https://a.example/{x}',
        'Authorization',
        '{x}',
        true,
        null,
        7,
      ),
      fc.string({ unit: 'binary' }),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 6 }),
    ),
  }))
  fc.assert(
    fc.property(tree, (entry) => {
      const named = { name: 'dev.acme/tracker', ...(typeof entry === 'object' ? entry : {}) }
      for (const one of [
        entry,
        named,
        { ...named, packages: [{ registryType: 'npm', ...named }], remotes: [named] },
      ]) {
        const result = parseServerEntry(one, 'official')
        if (result.kind === 'service') JSON.stringify(result.service)
      }
    }),
    { numRuns: rounds(2000, 100) },
  )
})

test('a stranger does not go by the title of a known service, and people are told who it is', () => {
  const packages = [{ registryType: 'npm', identifier: '@stranger/x', version: '1.0.0' }]
  for (const title of ['Todoist', 'todoist', 'Tоdoist', 'Tod0ist', 'Todoist MCP Server']) {
    const service = parsed({ name: 'io.github.stranger/x', title, packages })
    assert.equal(service.title, 'io.github.stranger/x', title)
    assert.match(service.notes[0] ?? '', /Cordon does not know this server/)
  }
  const own = parsed({ name: 'io.github.stranger/x', title: 'Stranger’s lists', packages })
  assert.equal(own.title, 'Stranger’s lists')
})

test('two pasted entries that claim one name share no secret, and one pasted twice finds its own', () => {
  const secretsOf = (identifier: string): readonly unknown[] => {
    const environmentVariables = [{ name: 'ACME_TOKEN', isSecret: true }]
    const entry = { registryType: 'npm', identifier, version: '1.0.0', environmentVariables }
    const result = parseServerEntry({ name: 'dev.acme/tracker', packages: [entry] }, 'pasted')
    assert.ok(result.kind === 'service')
    return result.service.credentials.map(({ secret }) => secret)
  }
  assert.deepEqual(secretsOf('@acme/tracker'), secretsOf('@acme/tracker'))
  assert.notDeepEqual(secretsOf('@acme/tracker'), secretsOf('@evil/tracker'))
})

test('a name of nothing but dashes for long is a name all the same', () => {
  const packages = [{ registryType: 'npm', identifier: '@stranger/x', version: '1.0.0' }]
  assert.equal(parsed({ name: `${'_'.repeat(70)}a/server`, packages }).slug, 'a')
})
