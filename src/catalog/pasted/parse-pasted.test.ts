import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import type { Service } from '../../ports/service-facts.ts'
import { createCatalog } from '../create-catalog.ts'

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

test('parsePasted() reads npx and its relatives', () => {
  const lines = {
    'npx -y @acme/tracker': ['@acme/tracker', 'latest', []],
    '$ npx --yes @acme/tracker@1.2.3 --port 3000': ['@acme/tracker', '1.2.3', ['--port', '3000']],
    'npx tracker@next "two words"': ['tracker', 'next', ['two words']],
    'npm exec -y -- @acme/tracker@1.2.3 serve': ['@acme/tracker', '1.2.3', ['serve']],
    'npm install -g @acme/tracker': ['@acme/tracker', 'latest', []],
    'pnpm dlx @acme/tracker': ['@acme/tracker', 'latest', []],
    'REGION="eu west" npx @acme/tracker': ['@acme/tracker', 'latest', []],
    'npx -y \\\n  @acme/tracker': ['@acme/tracker', 'latest', []],
    'bunx @acme/tracker': ['@acme/tracker', 'latest', []],
    '@acme/tracker@1.2.3': ['@acme/tracker', '1.2.3', []],
    'tracker-mcp': ['tracker-mcp', 'latest', []],
  }
  for (const [line, [name, version, args]] of Object.entries(lines)) {
    const { launch, origin, domains } = pasted(line)
    assert.deepEqual(launch, { kind: 'npm', package: name, version, args }, line)
    assert.equal(origin, 'pasted')
    assert.deepEqual(domains, [], 'a stranger reaches no host')
  }
  const { launch } = pasted('npx -p @acme/tracker tracker-server --flag')
  assert.deepEqual(launch, {
    kind: 'npm',
    package: '@acme/tracker',
    version: 'latest',
    bin: 'tracker-server',
    args: ['--flag'],
  })
})

test('parsePasted() knows a known package, also under the name it replaces', () => {
  for (const line of [
    'npx -y @notionhq/notion-mcp-server',
    'npx -y @modelcontextprotocol/server-notion@0.1.0',
    '@notionhq/notion-mcp-server@2.5.2',
  ]) {
    const { slug, origin, launch } = pasted(line)
    assert.deepEqual([slug, origin], ['notion', 'catalog'], line)
    assert.ok(launch.kind === 'npm' && launch.integrity !== undefined && launch.version === '2.5.2')
  }
})

test('parsePasted() keeps the arguments of a known package, and says that its version is the known one', () => {
  const { origin, launch, notes } = pasted('npx -y @notionhq/notion-mcp-server@2.4.0 --flag')
  assert.equal(origin, 'catalog')
  assert.ok(launch.kind === 'npm' && launch.version === '2.5.2' && launch.integrity !== undefined)
  assert.deepEqual(launch.args, ['--flag'])
  assert.ok(notes.includes('Cordon uses version 2.5.2, the one it knows.'))
  const same = pasted('npx -y @notionhq/notion-mcp-server@2.5.2')
  assert.ok(!same.notes.some((note) => note.includes('Cordon uses version')))
})

test('parsePasted() reads lines that run images and Python', () => {
  const { launch, credentials, notes, slug } = pasted(
    'docker run -i --rm -e GITHUB_TOKEN -e LEVEL=2 -e KEY=hunter2-and-more -v /a:/b ghcr.io/github/github-mcp-server:1.0',
  )
  assert.partialDeepStrictEqual(launch, {
    kind: 'image',
    package: 'ghcr.io/github/github-mcp-server',
    version: '1.0',
    environment: { LEVEL: '2' },
    shownAt: { '/a': '/b' },
  })
  assert.equal(slug, 'github-github-mcp-server')
  assert.deepEqual(
    credentials.map(({ key, required }) => [key, required]),
    [
      ['GITHUB_TOKEN', true],
      ['KEY', true],
    ],
  )
  assert.doesNotMatch(JSON.stringify({ launch, credentials, notes }), /hunter2/)
  assert.match(notes.join(' '), /`cordon connect github` needs no image/)
  const uvx = pasted('uvx mcp-server-git --repository /x')
  assert.partialDeepStrictEqual(uvx.launch, { kind: 'pypi', package: 'mcp-server-git' })
  assert.equal(uvx.slug, 'git')
  const module = pasted('python -m mcp_server_time.main --tz x')
  assert.partialDeepStrictEqual(module.launch, {
    kind: 'pypi',
    package: 'mcp-server-time',
    module: 'mcp_server_time.main',
    args: ['--tz', 'x'],
  })
})

test('parsePasted() takes an https address for a remote server', () => {
  const { launch, domains, oauth, credentials, slug } = pasted('https://mcp.acme.dev/mcp')
  assert.deepEqual(launch, {
    kind: 'remote',
    url: 'https://mcp.acme.dev/mcp',
    transport: 'stream-http',
  })
  assert.deepEqual(domains, ['mcp.acme.dev'])
  assert.deepEqual(oauth, [{ kind: 'mcp', key: 'bearer' }])
  assert.deepEqual(
    credentials.map(({ secret }) => secret),
    ['site/mcp.acme.dev/bearer'],
  )
  assert.equal(slug, 'acme')
  assert.equal(pasted('https://mcp.notion.com/mcp').slug, 'notion-remote')
  assert.equal(pasted('mcp.acme.dev/mcp').launch.kind, 'remote')
  const sse = pasted('https://acme.dev/sse').launch
  assert.ok(sse.kind === 'remote' && sse.transport === 'sse')
})

test('parsePasted() takes a bare domain for a site', () => {
  const { launch, domains, credentials, origin, slug } = pasted('tracker.mycompany.com')
  assert.deepEqual(launch, { kind: 'http', baseUrl: 'https://tracker.mycompany.com' })
  assert.deepEqual(domains, ['tracker.mycompany.com'])
  assert.deepEqual([origin, slug], ['domain', 'tracker'])
  assert.deepEqual(
    credentials.map(({ key, secret }) => [key, secret]),
    [['CORDON_HTTP_TOKEN', 'site/tracker.mycompany.com/token']],
  )
  assert.deepEqual(pasted('Bücher.example.com').domains, ['xn--bcher-kva.example.com'])
  assert.equal(pasted('github.com').slug, 'github')
})

test('parsePasted() refuses addresses inside this network with a way forward', () => {
  for (const text of [
    'http://localhost:3000/mcp',
    'https://127.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://intranet/mcp',
    'https://box.local/mcp',
    '192.168.1.10',
    'https://github.com/acme/tracker',
  ]) {
    const { code, hint, message } = refused(text)
    assert.equal(code, 'catalog.bad-address', text)
    assert.equal(message.includes('numeric'), /\d\.\d|::/.test(text))
    assert.notEqual(hint, '')
  }
})

test('parsePasted() reads a server.json, and says what is wrong with another', () => {
  const entry = {
    name: 'dev.acme/tracker',
    description: 'Tracks',
    version: '1.2.3',
    packages: [
      {
        registryType: 'npm',
        identifier: '@acme/tracker',
        version: '1.2.3',
        transport: { type: 'stdio' },
      },
    ],
  }
  const { slug, origin, launch } = pasted(JSON.stringify(entry, undefined, 2))
  assert.deepEqual([slug, origin, launch.kind], ['tracker', 'pasted', 'npm'])
  for (const text of [
    '{',
    '{"name": ',
    '{}',
    '{"name":"a/b"}',
    `{"mcpServers":{"x":{"env":{"T":"${TOKEN}"}}}}`,
  ]) {
    const { code, message, hint } = refused(text)
    assert.equal(code, 'catalog.unreadable')
    assert.doesNotMatch(`${message} ${hint}`, /Canary/)
  }
})

test('parsePasted() leaves ordinary words to others', () => {
  for (const text of [
    '',
    ' ',
    'notion',
    'milk to my list',
    'left-pad',
    'node.js',
    'notes.txt',
    'what is npx -y for',
    'meet at 10.30',
    'npx',
    'a/b',
    '..',
    'e.g.',
  ]) {
    assert.equal(parsePasted(text), undefined, text)
  }
})

test('a pasted mcp-remote line is the remote server; the value of a header is dropped and asked for', () => {
  const service = pasted(
    'npx -y mcp-remote https://mcp.example.com/sse --header "X-Key: canary123"',
  )
  assert.deepEqual(service.launch, {
    kind: 'remote',
    url: 'https://mcp.example.com/sse',
    transport: 'sse',
  })
  const [need] = service.credentials
  assert.deepEqual([need?.key, need?.required], ['header:X-Key', true])
  assert.doesNotMatch(JSON.stringify(service), /canary/)
  assert.equal(pasted('npx mcp-remote https://mcp.linear.app/mcp').slug, 'linear-remote')
})
