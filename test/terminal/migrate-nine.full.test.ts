/**
 * The settings of Claude Desktop as people have them, with nine servers: npm packages, an address and a script list their
 * tools; each of the others says the one thing that is missing, as the dry run did. Walked in a terminal.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { prepareCordonIn } from '../fixtures/connected-cordon.ts'
import { root } from '../fixtures/cordon.ts'
import { freePort } from '../fixtures/free-port.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { startPostgres } from '../fixtures/postgres.ts'
import { createSseStandIn } from '../fixtures/sse-stand-in.ts'
import { openCommand } from './open-command.ts'

const HOST = 'mcp.cordon.test'
const BEARER = 'canary-of-the-remote-1'
const PASSWORD = 'canary-of-the-shop'
const inputSchema = { type: 'object' }
const remote = createSseStandIn(BEARER, '1.0.0', [
  { name: 'ask', description: 'Asks', inputSchema, answer: () => ({ content: [] }) },
])
const port = await freePort()
const database = await startPostgres({ port })
await database.execute(`ALTER ROLE cordon PASSWORD '${PASSWORD}'`)
const world = await openOutsideWorld({ [HOST]: remote.listener })
const cordon = await prepareCordonIn(world, 'github', 'brave-search', 'notion', 'postgres')
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const GITHUB_TOKEN = `ghp_${'canary0123'.repeat(4)}`
const NOTION_HEADERS = { Authorization: `Bearer ntn_${'canary01'.repeat(6)}` }
const npx = (...args: readonly string[]) => ({ command: 'npx', args: ['-y', ...args] })
const settings = path.join(path.dirname(cordon.home), 'claude_desktop_config.json')
const address = `postgresql://cordon:${PASSWORD}@localhost:${port}/postgres?sslmode=disable`
const docker = [
  'run',
  '-i',
  '--rm',
  '--network',
  'host',
  '-e',
  'API_KEY=canary0123456789',
  'mcp/grafana',
]
const mcpServers = {
  github: {
    ...npx('@modelcontextprotocol/server-github'),
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: GITHUB_TOKEN },
  },
  'brave-search': {
    ...npx('@modelcontextprotocol/server-brave-search'),
    env: { BRAVE_API_KEY: `BSA${'canary01'.repeat(4)}` },
  },
  notion: {
    ...npx('@notionhq/notion-mcp-server'),
    env: { OPENAPI_MCP_HEADERS: JSON.stringify(NOTION_HEADERS) },
  },
  linear: npx('mcp-remote', 'https://mcp.linear.app/sse'),
  time: { command: 'uv', args: ['run', 'server.py', '--local-timezone=Europe/Berlin'] },
  grafana: { command: 'docker', args: docker },
  postgres: npx('@modelcontextprotocol/server-postgres', address),
  remote: {
    type: 'sse',
    url: `https://${HOST}/sse`,
    headers: { Authorization: `Bearer ${BEARER}` },
  },
  hello: { command: 'node', args: [path.join(root, 'test/fixtures/servers/echo.mjs')] },
}
writeFileSync(settings, JSON.stringify({ mcpServers }))

const RUNNING = ['brave-search', 'github', 'hello', 'notion', 'postgres', 'remote']
const MISSING: Readonly<Record<string, RegExp>> = {
  linear: /^Sign in: run `cordon connect linear`\.$/,
  time: /^Cordon does not run projects of uv, only packages;/,
  grafana: /^Cannot install an image in this machine's own network/,
}

/** Runs the command in a terminal, answers its one question with yes, and gives everything that was shown. */
async function walk(args: readonly string[], question?: RegExp): Promise<string> {
  await using terminal = await openCommand(cordon, args, { world, columns: 200 })
  if (question) {
    await terminal.until(question)
    await terminal.press('y')
  }
  assert.equal(await terminal.ended(), 0)
  return await terminal.scrollback()
}

/** The part of the screen about one server. */
function about(server: string, shown: string): string {
  return (
    shown.split(`\n  ${server}: `)[1]?.split(/\n {2}\S/)[0] ?? assert.fail(`${server}: ${shown}`)
  )
}

function assertOutlook(shown: string): void {
  for (const server of Object.keys(mcpServers)) {
    const missing = /^ {4}missing: (.*)$/m.exec(about(server, shown))?.[1]
    if (RUNNING.includes(server)) assert.equal(missing, undefined, server)
    else assert.match(missing ?? '', MISSING[server] ?? /^$/, server)
  }
}

test('the dry run says which six will run, and what the other three lack', async () => {
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  const shown = await walk(['mcp', 'migrate', '--from', settings, '--dry-run'])
  assertOutlook(shown)
  assert.doesNotMatch(shown, /canary|: created|went to/)
  const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  assert.deepEqual(servers, [])
})

test('DEF-2: moved in, all six list their tools, and no token is in a file or an answer', async () => {
  const shown = await walk(['mcp', 'migrate', '--from', settings], /◆ {2}/)
  assertOutlook(shown)
  for (const server of RUNNING) assert.match(shown, new RegExp(`^${server}: \\d+ tools?$`, 'm'))
  assert.match(shown, /6 of 9 imported servers run\. Not yet: /)
  const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  const running = servers.filter(({ state }) => state.badge === 'connected' && state.tools > 0)
  assert.deepEqual(
    running.map(({ server }) => server),
    RUNNING,
  )
  assert.doesNotMatch(shown + JSON.stringify(servers), /canary/)
})

test('a migrated server answers: a database in its sandbox, by the address from the arguments', async () => {
  const args = ['mcp', 'call', 'postgres.search_objects', '{"object_type":"schema"}']
  const { code, stdout } = await cordon.run(args)
  assert.equal(code, 0)
  assert.match(stdout, /public/)
})
