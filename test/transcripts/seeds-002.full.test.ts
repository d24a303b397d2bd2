/** The commands and configurations of the first specification (C in `seeds-samples.ts`), against real servers. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { rootCertificates } from 'node:tls'
import type { Output } from '../../src/api/contract.ts'
import { AUTHORITY_FILE } from '../fixtures/outside-world.ts'
import { scriptOf } from '../fixtures/packages.ts'
import { openSeedsCordon, STRIPE_TOKEN, WEATHER_TOKEN } from '../fixtures/seeds-cordon.ts'
import { typed } from './seeds-samples.ts'

const cordon = await openSeedsCordon('github', 'filesystem')
after(() => cordon[Symbol.asyncDispose]())

const definitionOf = (server: string): string =>
  readFileSync(path.join(cordon.home, 'mcp', `${server}.toml`), 'utf8')
const migrate = (name: string, servers: object) => {
  cordon.write(name, { servers })
  return cordon.says(`cordon registry migrate-mcp --from ${name}`)
}

test('C§5: a remote server is added, launched and listed, with its token and no other host', async () => {
  const added = await cordon.shell(typed('C§5 add'))
  assert.match(added.stdout, /^may reach {2}api\.weathercorp\.com$/m)
  assert.match(added.stdout, /^secret {5}bearer = env:PFLOW_WEATHER_TOKEN$/m)
  assert.match(added.stderr, /older spelling; write `cordon mcp add NAME`/)
  const launched = await cordon.shell(typed('C§5 launch'))
  assert.deepEqual([launched.code, launched.stdout], [0, 'weather is connected\n'])
  assert.match(
    launched.stderr,
    /`cordon mcp launch` is an older spelling; write `cordon mcp start`/,
  )
  assert.deepEqual([...new Set(cordon.weather.tokens)], [WEATHER_TOKEN])
  const listed = await cordon.says(typed('C§5 list'))
  assert.match(listed, /^SERVER +STATE +TRANSPORT +LABEL +TOOLS /)
  assert.match(listed, /^weather +Connected +sse +sensitive +1 /m)
  assert.match(listed, /^github +Connected +stdio +sensitive +26 /m)
  const daemon = await cordon.shell(typed('C§5 daemon'))
  assert.equal(daemon.code, 0)
  assert.match(daemon.stderr, /older spelling; write `cordon up --detach`/)
})

test('C§4: definitions are edited by commands, and a version that is not the pinned one is told', async () => {
  assert.match(await cordon.says(typed('C§4 add')), /write a definition by hand/)
  await cordon.says('cordon mcp edit weather --pin 1.2.3')
  await cordon.says('cordon mcp restart weather')
  const drifted = /^warning: weather: reports version 1\.2\.4, not the pinned one$/m
  assert.match(await cordon.says('cordon mcp list'), drifted)
  await cordon.says(typed('C§4 edit'))
  await cordon.says('cordon mcp restart weather')
  assert.doesNotMatch(await cordon.says('cordon mcp list'), drifted)
})

test('C§6: a tool becomes a node that names its server, its tool and its manifest', async () => {
  const code = await cordon.says(typed('C§6 wrapper'))
  assert.match(code, /^export class McpWeatherGetNode \{$/m)
  assert.match(code, /static readonly mcpServerId = "weather"/)
  assert.match(code, /static readonly mcpToolName = "get_weather"/)
  assert.match(code, /static readonly mcpManifestHash = "sha256:[0-9a-f]{64}"/)
  assert.match(code, /static readonly purity = "impure"/)
})

test('C§8: what only claims to read is asked about, and plain http is for this machine alone', async () => {
  const asked = await cordon.shell('cordon mcp-weather-get-weather --location Turin')
  assert.equal(asked.code, 3)
  assert.deepEqual(cordon.weather.called, [])
  const said = await cordon.says('cordon mcp-weather-get-weather --location Turin --yes')
  assert.match(said, /"temperature": 21/)
  assert.deepEqual(cordon.weather.called, ['get_weather {"location":"Turin"}'])
  const local = await cordon.says(typed('C§8.2 --insecure'))
  assert.match(local, /^sandbox +remote, NOT ENCRYPTED$/m)
  await cordon.says('cordon mcp remove plain --yes')
  const far = await cordon.shell(typed('D§9.4 --insecure'))
  assert.equal(far.code, 2)
  assert.match(far.stderr, /expected an https:\/\/ address; http:\/\/ is only for localhost/)
})

test('C§8.4: an answer is remembered only where the owner takes the word of the server for it', async () => {
  type Run = Output<'flows.start'>
  const cached = async (line: string): Promise<unknown> => {
    const { id } = JSON.parse(await cordon.says(line)) as Run
    const trace = await cordon.ask<Output<'flows.show'>>(['flow', 'show', id])
    return trace.steps[0]?.wasCached ?? false
  }
  const pure = typed('C§8.4 --trust-pure')
  assert.deepEqual([await cached(pure), await cached(pure)], [false, true])
  assert.equal(await cached(`${pure} --no-cache`), false)
  assert.equal(await cached('cordon --json mcp-filesystem-list-directory --path /tmp'), false)
  // The tree of /tmp holds the installed package, which is too large to be kept.
  await cordon.says('cordon mcp-filesystem-create-directory --path /tmp/notes --yes')
  const readonly = typed('D§9.2 --trust-readonly')
  assert.deepEqual([await cached(readonly), await cached(readonly)], [false, true])
})

test('C§9 failures: an answer of another shape, and a certificate of another host, end it', async () => {
  const odd = await cordon.shell('cordon mcp-weather-get-weather --location Atlantis --yes')
  assert.deepEqual([odd.code, odd.stdout], [5, ''])
  assert.match(odd.stderr, /The answer of the server does not fit its own schema: #\/weather_data/)
  const url = 'https://somebody-else.example/sse'
  await cordon.says(
    `cordon mcp add else --transport sse --url ${url} --token-env PFLOW_WEATHER_TOKEN`,
  )
  const { code, stderr } = await cordon.shell('cordon mcp launch else')
  assert.equal(code, 5)
  assert.match(stderr, /error: Cannot trust the certificate of "somebody-else\.example"$/m)
  assert.deepEqual(cordon.stranger.tokens, [])
  await cordon.says('cordon mcp remove else --yes')
})

test('C§8.2 pin: a server with a pinned certificate is trusted by that one alone', async () => {
  const pin = path.join(cordon.home, 'certs', 'weather.pem')
  mkdirSync(path.dirname(pin), { recursive: true, mode: 0o700 })
  writeFileSync(pin, rootCertificates[0] ?? '', { mode: 0o600 })
  const { code, stderr } = await cordon.shell('cordon mcp restart weather')
  assert.equal(code, 5)
  assert.match(stderr, /Cannot trust the certificate of "api\.weathercorp\.com"/)
  writeFileSync(pin, readFileSync(AUTHORITY_FILE), { mode: 0o600 })
  assert.equal(await cordon.says('cordon mcp restart weather'), 'weather is connected')
})

test('C§4 mcp.json: the file moves in as it is, and each server says what it still lacks', async () => {
  const said = await migrate('mcp.json', {
    'local-fs': {
      transport: 'stdio',
      command: 'mcp-fs',
      args: [],
      env: {},
      autostart: true,
      version: '0.3.0',
    },
    'weather-remote': {
      transport: 'sse',
      url: 'https://api.weathercorp.com/sse',
      token_env: 'PFLOW_WEATHER_TOKEN',
      version: '1.2.4',
    },
  })
  assert.match(said, /^ {2}local-fs: created /m)
  assert.match(definitionOf('local-fs'), /^version = "0\.3\.0"$/m)
  const secret = 'weather-remote/PFLOW_WEATHER_TOKEN'
  assert.match(said, new RegExp(`needs a secret: run \`cordon vault set ${secret}\``))
  assert.match(definitionOf('weather-remote'), new RegExp(`^bearer = "vault:${secret}"$`, 'm'))
  await cordon.run(['vault', 'set', secret], { stdin: WEATHER_TOKEN })
  assert.equal(await cordon.says('cordon mcp launch weather-remote'), 'weather-remote is connected')
  const absent = await cordon.shell('cordon mcp launch local-fs')
  assert.equal(absent.code, 5)
  assert.match(absent.stderr, /Cannot find the program "mcp-fs"\ncordon: hint: Install the program/)
})

test('C§8.1 token_env, D§9.3 auth: without its token a server is not even called', async () => {
  const auth = { token_env: 'GITHUB_ENTERPRISE_TOKEN', scopes: ['repo:read', 'user:read'] }
  const url = 'https://api.github.internal/mcp'
  cordon.write('enterprise.json', { server_id: 'github-enterprise', transport: 'sse', url, auth })
  await cordon.says('cordon registry migrate-mcp --from enterprise.json')
  assert.match(definitionOf('github-enterprise'), /^scopes = \[ "repo:read", "user:read" \]$/m)
  const { code, stderr } = await cordon.shell('cordon mcp launch github-enterprise')
  assert.equal(code, 5)
  assert.match(stderr, /Cannot lend secret "github-enterprise\/GITHUB_ENTERPRISE_TOKEN"/)
  assert.match(stderr, /hint: Run `cordon vault set github-enterprise\/GITHUB_ENTERPRISE_TOKEN`/)
})

test('C§10.1 gh: what would be downloaded at every start is installed instead, and then launched', async () => {
  const env = { GITHUB_TOKEN: '$GITHUB_TOKEN' }
  const gh = {
    transport: 'stdio',
    command: 'npx',
    args: ['-y', 'mcp-github'],
    env,
    autostart: true,
  }
  await migrate('gh.json', { gh })
  assert.match(definitionOf('gh'), /^GITHUB_TOKEN = "vault:gh\/GITHUB_TOKEN"$/m)
  const { code, stderr } = await cordon.shell(typed('C§10.1 launch'))
  assert.equal(code, 2)
  assert.match(stderr, /Cannot install "mcp-github@latest": .* has no such package or version/)
  await cordon.says('cordon mcp remove gh --yes')
  assert.equal(await cordon.says('cordon mcp launch github'), 'github is connected')
})

test('C§10.2 mem: a server of one file, and what it remembers', async () => {
  const mem = { transport: 'stdio', command: 'python', args: ['mcp_mem.py'], autostart: true }
  await migrate('mem.json', { mem })
  assert.match(definitionOf('mem'), /^args = \[ "mcp_mem\.py" \]$/m)
  await cordon.says('cordon mcp remove mem --yes')
  const script = await scriptOf('memory')
  const MEMORY_FILE_PATH = '/tmp/memory.jsonl'
  await migrate('mem.json', {
    mem: { ...mem, command: 'node', args: [script], env: { MEMORY_FILE_PATH } },
  })
  assert.equal(await cordon.says('cordon mcp launch mem'), 'mem is connected')
  const ada = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }]
  await cordon.says(`cordon mcp-mem-create-entities --entities '${JSON.stringify(ada)}' --yes`)
  const graph = await cordon.says('cordon mcp-mem-read-graph --yes')
  assert.match(graph, /"writes programs"/)
})

test('C§10.3 stripe: one flow over a sandboxed server, a model and a remote server', async () => {
  await migrate('stripe.json', {
    stripe: {
      transport: 'sse',
      url: 'https://billing.example.com/sse',
      token_env: 'STRIPE_MCP_KEY',
    },
  })
  await cordon.run(['vault', 'set', 'stripe/STRIPE_MCP_KEY'], { stdin: STRIPE_TOKEN })
  assert.equal(await cordon.says('cordon mcp launch stripe'), 'stripe is connected')
  const { code, stdout, stderr, questions } = await cordon.approving(typed('C§10 flow'))
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), { id: 'cus_1' })
  assert.equal(questions.length, 1)
  assert.match(
    questions[0] ?? '',
    /description: ‹Three files want work› .*a model that read github/,
  )
  assert.deepEqual(cordon.stripe.called, [
    'create_customer {"description":"Three files want work"}',
  ])
  assert.deepEqual([...new Set(cordon.stripe.tokens)], [STRIPE_TOKEN])
  assert.match(cordon.model.asked[0]?.messages.at(-1)?.content ?? '', /src\/todo\/login\.py/)
})
