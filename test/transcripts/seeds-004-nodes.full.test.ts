/** The registry of the second specification (D in `seeds-samples.ts`): real servers, and their tools as nodes. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { packageOf } from '../fixtures/packages.ts'
import { openSeedsCordon, WEATHER_TOKEN } from '../fixtures/seeds-cordon.ts'
import { typed } from './seeds-samples.ts'

const cordon = await openSeedsCordon('github', 'slack', 'filesystem')
after(() => cordon[Symbol.asyncDispose]())

const MCP_GITHUB = path.join(
  (await packageOf('github')).folder,
  'node_modules/@modelcontextprotocol/server-github/dist/index.js',
)
const withProgram = (line: string): string => `MCP_GITHUB='${MCP_GITHUB}'; ${line}`

test('D§4.3, D§10.1: a server is registered by its program, and its tools are nodes', async () => {
  const added = await cordon.says(withProgram(typed('D§4.3 add')))
  assert.match(added, /^runs +node \S+server-github\/dist\/index\.js$/m)
  assert.match(added, /^may reach +nothing$/m)
  await cordon.says(withProgram(typed('D§10.1 add')))
  for (const server of ['gh', 'gh2']) await cordon.says(`cordon mcp start ${server}`)
  assert.match(await cordon.says('cordon registry list --filter gh2'), /^mcp-gh2-search-code /m)
  const listed = await cordon.says(typed('D§4.3 list'))
  assert.match(listed, /^mcp-gh-search-code +Search for code across GitHub repositories$/m)
  // D§4.3 names one tool of `gh`; the others are not nodes.
  assert.doesNotMatch(listed, /^mcp-gh-(?!search-code)/m)
  assert.match(listed, /^mcp-slack-post-message +Post a new message to a Slack channel/m)
  assert.doesNotMatch(listed, /^llm /m)
  for (const server of ['gh', 'gh2']) await cordon.says(`cordon mcp remove ${server} --yes`)
})

test('D§10.1 list: the nodes of one service, with what each does', async () => {
  const listed = await cordon.says(typed('D§10.1 list'))
  assert.match(listed, /^mcp-github-search-code {17}Search for code across GitHub repositories$/m)
  assert.match(listed, /^mcp-github-create-issue {16}Create a new issue in a GitHub repository$/m)
  assert.equal(listed.split('\n').length, 26)
  const found = await cordon.says(typed('D§5.3 search'))
  assert.match(found, /^mcp-github-search-repositories +Search for GitHub repositories$/m)
  assert.doesNotMatch(found, /^mcp-slack/m)
})

test('D§4.3: tools are read anew, and every node is looked at', async () => {
  assert.equal(await cordon.says(typed('D§4.3 refresh')), 'github has 26 tools.')
  const all = /^(\d+) nodes, 0 saved flows, 0 with problems\.$/.exec(
    await cordon.says(typed('D§4.3 validate')),
  )
  const wrappers = await cordon.says(typed('D§13.1 validate'))
  assert.equal(wrappers, '48 nodes, 0 saved flows, 0 with problems.')
  assert.ok(Number(all?.[1]) > 48)
})

test('D§5.2: a node says what it reads, writes and takes, in the words of its server', async () => {
  const described = await cordon.says(typed('D§4.3 describe'))
  assert.deepEqual(described.split('\n').slice(0, 3), [
    'mcp-github-search-code',
    'Search for code across GitHub repositories',
    '- Reads: shared["q"]',
  ])
  assert.match(described, /^- Reads: shared\["per_page"\] \(optional\)$/m)
  assert.match(described, /^- Actions: default, rate_limited, auth_failed, forbidden, /m)
  assert.match(described, /^MCP Source: github\/search_code v[\d.]+ sha256:[0-9a-f]{64}$/m)
  const channels = await cordon.says(typed('D§5.2 docstring'))
  assert.match(
    channels,
    /^- Reads: shared\["cursor"\] - Pagination cursor for next page of results \(optional\)$/m,
  )
  assert.match(channels, /^- Params: limit \(default 100\) - Maximum number of channels/m)
})

test('R13, D§4.1 entry: tools are written down as entries of a registry, which can be read again', async () => {
  await cordon.says('cordon registry export --filter mcp-github --out registry.json')
  const entries = JSON.parse(await cordon.says('cat registry.json')) as Record<string, unknown>[]
  assert.equal(entries.length, 26)
  const entry = entries.find((one) => one['node_id'] === 'mcp-github-search-code')
  assert.partialDeepStrictEqual(entry, {
    type: 'mcp_wrapper',
    description: 'Search for code across GitHub repositories',
    mcp_config: { server_id: 'github', tool_name: 'search_code', transport: 'stdio' },
    interface: { inputs: ['q', 'order', 'page', 'per_page'], outputs: ['result'], params: {} },
    purity: 'impure',
  })
  const { manifest_hash, version } = (entry?.['mcp_config'] ?? {}) as Record<string, string>
  assert.match(manifest_hash ?? '', /^sha256:[0-9a-f]{64}$/)
  assert.match(version ?? '', /^\d/)
  const again = await cordon.says('cordon registry migrate-mcp --from registry.json --dry-run')
  assert.match(
    again,
    /^Would import from \S+ \(pflow registry\); nothing is changed yet:\n {2}github: would stay as it is/,
  )
})

test('D§3, D§5.1: the same as a class to read', async () => {
  const code = await cordon.says(typed('D§3 node'))
  assert.match(code, /^export class McpGithubSearchCodeNode \{$/m)
  assert.match(code, /static readonly mcpServerId = "github"/)
  assert.match(code, /throw new Error\("Missing required 'q' in shared store"\)/)
})

test('D§5.1 missing: a key that nothing wrote is named, and nothing is called', async () => {
  const asked = cordon.github.asked.length
  const { code, stderr } = await cordon.shell('cordon mcp-github-search-code')
  assert.equal(code, 2)
  assert.match(stderr, /Cannot start the flow: MISSING_INPUT q \(string\)/)
  cordon.write('missing.json', {
    nodes: [
      { id: 'a', type: 'mcp-filesystem-list-allowed-directories', when: { left: 1, right: 2 } },
      'mcp-github-search-code',
    ],
    mappings: { 'mcp-github-search-code': { input_mappings: { q: 'content' } } },
  })
  const late = await cordon.shell(typed('D§5.1 missing'))
  assert.equal(late.code, 2)
  assert.match(
    late.stderr,
    /error: Cannot run the step: Missing required 'content' in shared store$/m,
  )
  assert.equal(cordon.github.asked.length, asked)
})

test('D§5.3 keys: nodes are found by the names that people guess, and read what people expect', async () => {
  await cordon.says(
    'cordon mcp add weather --transport sse --url https://api.weathercorp.com/sse --token-env PFLOW_WEATHER_TOKEN',
  )
  await cordon.says('cordon mcp start weather')
  for (const [line, name] of [
    [typed('D§5.3 weather'), 'mcp-weather-get'],
    [typed('D§5.3 repos'), 'mcp-github-search-repositories'],
    [typed('D§5.3 slack'), 'mcp-slack-post-message'],
    [typed('D§5.3 files'), 'mcp-filesystem-list-directory'],
  ] as const) {
    assert.equal((await cordon.says(line)).split('\n')[0], name)
  }
  const described = await cordon.says(typed('D§5.3 weather'))
  assert.match(described, /Reads: shared\["location"\]\n/)
  assert.match(described, /Writes: shared\["weather_data"\] - object\n/)
  const { code, stdout, stderr } = await cordon.shell(typed('D§5.3 future'))
  assert.equal(code, 0, stderr)
  assert.match(stderr, /older spelling; write `cordon mcp-slack-post-message`/)
  assert.match(stdout, /"channel": "C0SEEDS00"/)
  assert.deepEqual(cordon.slack.messages, [{ channel: 'general', text: 'Hello' }])
})

test('D§9.1: what changes something is never pure, whatever is trusted', async () => {
  const post = JSON.parse(await cordon.says(typed('D§9.1 flow_safe'))) as Record<string, unknown>
  assert.deepEqual(
    [post['purity'], post['effect'], post['tool']],
    ['impure', 'write', 'slack_post_message'],
  )
  const again = `${typed('D§5.3 future')} --trust-readonly`
  await cordon.says(again)
  await cordon.says(again)
  assert.equal(cordon.slack.messages.length, 3)
})

test('D§4.1 entry, D§13.1: the registry of the older program moves in, and is tried out', async () => {
  const folder = path.join(path.dirname(cordon.home), '.pflow')
  mkdirSync(folder)
  const servers = {
    'weather-remote': {
      transport: 'sse',
      url: 'https://api.weathercorp.com/sse',
      token_env: 'PFLOW_WEATHER_TOKEN',
    },
  }
  writeFileSync(path.join(folder, 'mcp.json'), JSON.stringify({ servers }))
  const moved = await cordon.shell(typed('D§13.1 migrate'))
  assert.match(moved.stdout, /^ {2}weather-remote: created /m)
  assert.match(
    moved.stderr,
    /^weather-remote is kept for later \(https:\/\/api\.weathercorp\.com\/sse\)\. /m,
  )
  const secret = 'weather-remote/PFLOW_WEATHER_TOKEN'
  await cordon.run(['vault', 'set', secret], { stdin: WEATHER_TOKEN })
  cordon.write('entry.json', {
    node_id: 'mcp-github-search-code',
    type: 'mcp_wrapper',
    description: 'Search code in GitHub repositories via MCP',
    mcp_config: {
      server_id: 'github-server',
      tool_name: 'search_code',
      transport: 'stdio',
      command: 'mcp-github',
      version: '1.2.0',
      manifest_hash: 'sha256:abc123...',
    },
    interface: {
      inputs: ['query', 'language'],
      outputs: ['search_results'],
      params: { max_results: 10 },
    },
    purity: 'impure',
  })
  await cordon.says('cordon registry migrate-mcp --from entry.json')
  assert.ok(existsSync(path.join(cordon.home, 'mcp', 'github-server.toml')))
  const tried = await cordon.shell(typed('D§13.1 connections'))
  assert.equal(tried.code, 5)
  assert.match(tried.stdout, /^github +ok +26 tools$/m)
  assert.match(tried.stdout, /^weather-remote +ok +1 tools$/m)
  assert.match(tried.stdout, /^github-server +failed +Cannot find the program "mcp-github"$/m)
})
