/**
 * Servers as people have them, from npm at pinned versions, behind the real sandbox: they start, list and answer.
 * They are installed once, without scripts, beside the checkout; none of them gets a network.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { define, never, openHouse, owner } from '../runtime/direct-sandbox.ts'

const folder = fileURLToPath(new URL('../../../.cache/real-servers', import.meta.url))
const packages = {
  '@modelcontextprotocol/server-everything': '2026.8.31',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  '@modelcontextprotocol/server-sequential-thinking': '2026.8.31',
  '@bytebase/dbhub': '1.4.0',
  '@notionhq/notion-mcp-server': '2.5.2',
  'airtable-mcp-server': '1.14.0',
  '@hubspot/mcp-server': '0.4.0',
}
install()
const sandbox = await openSandbox({
  nodePath: process.execPath,
  cordonHome: `${folder}-home`,
  userHome: homedir(),
})
after(() => sandbox[Symbol.asyncDispose]())

/** Left alone where exactly these are there already. */
function install(): void {
  const wanted = JSON.stringify({ private: true, dependencies: packages })
  const mark = path.join(folder, 'installed.json')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  writeFileSync(path.join(folder, 'package.json'), wanted)
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...quietly], { cwd: folder, timeout: 300_000 })
  execFileSync('chmod', ['-R', 'o+rX', folder]) // servers are not root, even where Cordon is
  writeFileSync(mark, wanted)
}

function real(
  name: keyof typeof packages,
  args: readonly string[],
  more: Partial<ServerDefinition> = {},
) {
  const home = path.join(folder, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  const script = typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? '')
  const plain = define('it', 'none', more)
  return {
    ...plain,
    command: 'node',
    args: [path.join(home, script), ...args],
    sandbox: { ...plain.sandbox, memoryLimitBytes: 512 * 2 ** 20, readPaths: [folder] },
  }
}

const visible = path.join(folder, 'node_modules', 'airtable-mcp-server')
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
    await using house = await openHouse([definition], { sandbox, timings: { startMs: 30_000 } })
    const state = await house.servers.start(owner, definition.id, never)
    assert.equal(state.badge, 'connected')
    assert.equal(state.era, era)
    assert.equal(state.tools, tools)
    if (!(name in calls)) return
    const [tool, args, answer] = calls[name as keyof typeof calls]
    const result = await house.call('it', tool, args)
    assert.match(JSON.stringify(result.kind === 'ok' ? result.value : result), answer)
  })
}
