/**
 * Real servers from npm at pinned versions, behind the real sandbox: they start, list their tools and answer.
 * The packages are installed once, without scripts, into `.cache`; no server gets a network.
 */
import assert from 'node:assert/strict'
import { homedir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { type RealServer, realServers, scriptOf } from '../../fixtures/real-servers.ts'
import { define, never, openHouse } from '../runtime/direct-sandbox.ts'

const sandbox = await openSandbox({
  nodePath: process.execPath,
  cordonHome: `${realServers}-home`,
  userHome: homedir(),
})
after(() => sandbox[Symbol.asyncDispose]())

function real(
  name: RealServer,
  args: readonly string[],
  more: Partial<ServerDefinition> = {},
): ServerDefinition {
  const plain = define('it', 'none', more)
  return {
    ...plain,
    command: 'node',
    args: [scriptOf(name), ...args],
    sandbox: { ...plain.sandbox, memoryLimitBytes: 512 * 2 ** 20, readPaths: [realServers] },
  }
}

const visible = path.join(realServers, 'node_modules', 'airtable-mcp-server')
const thought = { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
const dummies = {
  NOTION_TOKEN: 'ntn_dummy',
  AIRTABLE_API_KEY: 'pat_dummy',
  PRIVATE_APP_ACCESS_TOKEN: 'pat-na1-dummy',
}
const cases = [
  ['everything', real('@modelcontextprotocol/server-everything', []), 'legacy', 13],
  ['filesystem', real('@modelcontextprotocol/server-filesystem', [visible]), 'legacy', 14],
  ['memory', real('@modelcontextprotocol/server-memory', []), 'legacy', 9],
  ['thinking', real('@modelcontextprotocol/server-sequential-thinking', []), 'legacy', 1],
  [
    'dbhub',
    real('@bytebase/dbhub', ['--transport', 'stdio', '--dsn', 'sqlite:///:memory:']),
    'modern',
    2,
  ],
  ['notion', real('@notionhq/notion-mcp-server', [], { env: dummies }), 'legacy', 24],
  ['airtable', real('airtable-mcp-server', [], { env: dummies }), 'legacy', 16],
  ['hubspot', real('@hubspot/mcp-server', [], { env: dummies }), 'legacy', 21],
] as const
const calls = {
  everything: ['echo', { message: 'hi' }, /Echo: hi/],
  filesystem: ['list_directory', { path: visible }, /package\.json/],
  memory: ['read_graph', {}, /"entities":\[\]/],
  thinking: ['sequentialthinking', thought, /"thoughtNumber":1/],
  dbhub: ['execute_sql', { sql: 'select 40 + 2 as answer' }, /42/],
} as const

for (const [name, definition, era, tools] of cases) {
  test(`${name} works behind the sandbox`, async () => {
    await using house = await openHouse([definition], { sandbox, timings: { startMs: 300_000 } })
    const state = await house.servers.start(definition.id, never)
    assert.equal(state.badge, 'connected')
    assert.equal(state.era, era)
    assert.equal(state.tools, tools)
    if (!(name in calls)) return
    const [tool, args, answer] = calls[name as keyof typeof calls]
    const result = await house.call('it', tool, args)
    assert.match(JSON.stringify(result.kind === 'ok' ? result.value : result), answer)
  })
}
