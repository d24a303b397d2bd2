import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../ports/service-facts.ts'
import { parseSmitheryEntry } from './smithery-entry.ts'

const LINE = {
  qualifiedName: '@acme/tracker',
  displayName: 'Tracker',
  description: 'Tracks',
  useCount: 7,
}

function parsed(details: unknown, line: object = LINE): Service {
  const result = parseSmitheryEntry(line, details)
  assert.ok(result.kind === 'service')
  return result.service
}

function hosted(configSchema: object): Service {
  return parsed({
    connections: [{ type: 'http', deploymentUrl: 'https://tracker.acme.run/mcp', configSchema }],
  })
}

test('parseSmitheryEntry() reads a hosted server', () => {
  const service = hosted({ type: 'object', properties: {} })
  assert.deepEqual(service.source, { kind: 'smithery', qualifiedName: '@acme/tracker' })
  assert.deepEqual(service.launch, {
    kind: 'remote',
    url: 'https://tracker.acme.run/mcp',
    transport: 'stream-http',
  })
  assert.deepEqual(service.domains, ['tracker.acme.run'])
  assert.deepEqual(service.oauth, [{ kind: 'mcp', key: 'bearer' }])
  assert.deepEqual([service.slug, service.title], ['tracker', 'Tracker'])
})

test('parseSmitheryEntry() tells secrets in a schema by their names', () => {
  const { credentials } = hosted({
    required: ['apiKey'],
    properties: {
      apiKey: { type: 'string', 'x-from': { header: 'X-Acme-Key' } },
      team: { type: 'string', 'x-from': { header: 'X-Team' } },
      debug: { type: 'boolean' },
    },
  })
  assert.deepEqual(
    credentials.map(({ key, secret, required }) => [key, secret, required]),
    [
      ['bearer', 'smithery/@acme/tracker/bearer', false],
      ['header:X-Acme-Key', 'smithery/@acme/tracker/header_x_acme_key', true],
      ['header:X-Team', undefined, false],
    ],
  )
})

test('parseSmitheryEntry() refuses a required setting that can only travel in the address', () => {
  const { launch } = hosted({ required: ['apiKey'], properties: { apiKey: { type: 'string' } } })
  assert.ok(launch.kind === 'unsupported' && /address/.test(launch.why))
})

test('parseSmitheryEntry() says why there is nothing to run', () => {
  const why = (details: unknown): string => {
    const { launch } = parsed(details)
    assert.ok(launch.kind === 'unsupported')
    return launch.why
  }
  assert.match(why(undefined), /details could not be loaded/)
  assert.match(why({ connections: [{ type: 'stdio', bundleUrl: 'https://x' }] }), /bundle/)
  assert.match(
    why({ connections: [{ type: 'http', deploymentUrl: 'http://10.0.0.1/' }] }),
    /plain http/,
  )
  assert.equal(parseSmitheryEntry({ qualifiedName: 'a b' }, {}).kind, 'unusable')
  assert.equal(parseSmitheryEntry(null, null).kind, 'unusable')
})

test('parseSmitheryEntry() lends no stranger a known title, and says who it is', () => {
  const service = parsed(undefined, { ...LINE, displayName: 'Todoist' })
  assert.equal(service.title, '@acme/tracker')
  assert.match(service.notes[0] ?? '', /Cordon does not know this server/)
})

test('parseSmitheryEntry() asks for no header that belongs to the connection', () => {
  const from = (header: string) => ({ type: 'string', 'x-from': { header } })
  const { credentials } = hosted({
    properties: {
      a: from('Host'),
      b: from('Cookie'),
      c: from('X-Fine'),
      d: from('Mcp-Session-Id'),
    },
  })
  assert.deepEqual(
    credentials.map(({ key }) => key),
    ['bearer', 'header:X-Fine'],
  )
})
