import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../ports/service-facts.ts'
import { authTypeOf } from './auth-type-of.ts'
import { parseServerEntry } from './server-entry.ts'

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

function remote(changes: object = {}): Service {
  const entry = { type: 'streamable-http', url: 'https://mcp.acme.dev/mcp', ...changes }
  return parsed({ name: 'dev.acme/tracker', remotes: [entry] })
}

test('parseServerEntry() sorts variables into settings, questions and nothing', () => {
  const { env, credentials, launch, domains } = npm({
    environmentVariables: [
      {
        name: 'TOKEN',
        isSecret: true,
        isRequired: true,
        description: 'From the\n\u202esettings page',
      },
      { name: 'FIXED', value: 'on' },
      { name: 'REGION', default: 'eu' },
      { name: 'TEAM', isRequired: true, choices: ['red', 'blue'] },
      { name: 'OPTIONAL' },
      { name: 'SECRET_DEFAULT', isSecret: true, default: 'changeme' },
      { name: 'WEATHER', value: '{choice}', variables: { choice: { default: 'rain' } } },
      { name: 'CITY', value: '{city}', variables: { city: { isRequired: true } } },
      { name: 'NODE_OPTIONS', value: '--require=/tmp/x' },
      { name: 'not a name', isRequired: true },
    ],
  })
  assert.deepEqual(env, { FIXED: 'on', REGION: 'eu', WEATHER: 'rain' })
  assert.deepEqual(
    credentials.map(({ key, secret, required, where }) => [
      key,
      secret !== undefined,
      required,
      where,
    ]),
    [
      ['TOKEN', true, true, 'its publisher says: From the settings page'],
      ['TEAM', false, true, 'its publisher says: one of red, blue'],
      ['SECRET_DEFAULT', true, false, undefined],
      ['CITY', false, true, undefined],
    ],
  )
  assert.deepEqual(launch, { kind: 'npm', package: '@acme/tracker', version: '1.2.3', args: [] })
  assert.deepEqual(domains, [])
})

test('parseServerEntry() reads arguments, and refuses a secret among them', () => {
  const { launch } = npm({
    packageArguments: [
      { type: 'positional', value: 'serve' },
      { type: 'named', name: '--port', default: '8080' },
      { type: 'named', name: '--verbose' },
    ],
  })
  assert.ok(launch.kind === 'npm')
  assert.deepEqual(launch.args, ['serve', '--port', '8080'])
  for (const argument of [
    { type: 'named', name: '--api-key', isSecret: true, isRequired: true },
    { type: 'named', name: '--folder', isRequired: true },
    { type: 'named', name: '--token', value: 'abc' },
  ]) {
    const { launch: how } = npm({ packageArguments: [argument] })
    assert.ok(how.kind === 'unsupported' && how.why.includes('command line'), argument.name)
    assert.equal(how.why.includes('secret'), argument.name !== '--folder')
  }
})

test('parseServerEntry() reads headers as bearer, header and setting', () => {
  const { credentials, env, oauth } = remote({
    headers: [
      { name: 'Authorization', value: 'Bearer {key}', isRequired: true },
      { name: 'X-API-Key', isSecret: true },
      { name: 'X-Team', value: 'red' },
      { name: 'X-Org', isRequired: true },
      { name: 'Host', value: 'evil.example' },
      { name: 'bad header', value: 'x' },
    ],
  })
  assert.deepEqual(
    credentials.map(({ key, secret, required }) => [key, secret, required]),
    [
      ['bearer', 'official/dev.acme/tracker/bearer', true],
      ['header:X-API-Key', 'official/dev.acme/tracker/header_x_api_key', false],
      ['header:X-Org', undefined, true],
    ],
  )
  assert.deepEqual(env, { 'header:X-Team': 'red' })
  assert.deepEqual(oauth, [])
  const other = remote({ headers: [{ name: 'Authorization', value: 'App {KEY}', isSecret: true }] })
  assert.deepEqual(
    other.credentials.map(({ key }) => key),
    ['header:Authorization'],
  )
})

test('parseServerEntry() takes only addresses it can reach as they are', () => {
  assert.deepEqual(remote().domains, ['mcp.acme.dev'])
  assert.deepEqual(remote().oauth, [{ kind: 'mcp', key: 'bearer' }])
  const filled = remote({
    url: 'https://{region}.acme.dev/mcp',
    variables: { region: { default: 'eu' } },
  })
  assert.ok(filled.launch.kind === 'remote' && filled.launch.url === 'https://eu.acme.dev/mcp')
  const secret = { key: { default: 'x', isSecret: true } }
  assert.equal(
    remote({ url: 'https://{key}.acme.dev', variables: secret }).launch.kind,
    'unsupported',
  )
  for (const url of [
    'https://{tenant}.acme.dev/mcp',
    'http://acme.dev/mcp',
    'https://127.0.0.1/mcp',
    'https://acme.dev/?token=abc',
    'javascript:alert(1)',
    '',
  ]) {
    assert.equal(remote({ url }).launch.kind, 'unsupported', url)
  }
})

test('parseServerEntry() prefers what Cordon can run', () => {
  const pypi = { registryType: 'pypi', identifier: 'tracker', version: '1.0.0' }
  const sse = { type: 'sse', url: 'https://acme.dev/sse' }
  const stream = { type: 'streamable-http', url: 'https://acme.dev/mcp' }
  const { launch } = parsed({ name: 'dev.acme/tracker', packages: [pypi], remotes: [sse, stream] })
  assert.deepEqual(launch, {
    kind: 'remote',
    url: 'https://acme.dev/mcp',
    transport: 'stream-http',
  })
  const only = parsed({ name: 'dev.acme/tracker', packages: [pypi] })
  const python = { kind: 'pypi', package: 'tracker', version: '1.0.0', args: [] }
  assert.deepEqual(only.launch, python)
  const elsewhere = { ...pypi, registryBaseUrl: 'https://index.example' }
  const odd = parsed({ name: 'dev.acme/tracker', packages: [elsewhere] })
  assert.ok(odd.launch.kind === 'unsupported' && /public pypi registry/.test(odd.launch.why))
  assert.equal(npm({ registryBaseUrl: 'https://packages.evil.example' }).launch.kind, 'unsupported')
  assert.equal(npm({ identifier: '../../etc' }).launch.kind, 'unsupported')
  assert.equal(npm({ version: '^1.0.0' }).launch.kind, 'unsupported')
})

test('authTypeOf() tells client credentials from keys from nothing', () => {
  const auth = (...names: readonly string[]): string =>
    authTypeOf(
      npm({
        environmentVariables: names.map((name) => ({ name, isSecret: true, isRequired: true })),
      }),
    )
  assert.equal(auth('ACME_CLIENT_ID', 'ACME_CLIENT_SECRET'), 'oauth')
  assert.equal(auth('ACME_CLIENT_ID'), 'api_key')
  assert.equal(auth('ACME_TOKEN'), 'api_key')
  assert.equal(auth(), 'none')
  assert.equal(authTypeOf(remote()), 'none')
  assert.equal(
    authTypeOf(remote({ headers: [{ name: 'x-api-key', isRequired: true }] })),
    'api_key',
  )
})
