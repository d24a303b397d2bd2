/**
 * The settings of another client, moved in: packages run, `mcp-remote` is the remote server, and the others say what
 * they wait for, before and after. The real Notion server from npm, and a stand-in for its API.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { prepareCordonIn } from '../fixtures/connected-cordon.ts'
import { root } from '../fixtures/cordon.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const notion = createNotion(TOKEN)
const world = await openOutsideWorld({ [NOTION_HOST]: notion.answer })
const cordon = await prepareCordonIn(world, 'notion')
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
const settings = path.join(path.dirname(cordon.home), 'claude_desktop_config.json')
const ECHO = path.join(root, 'test/fixtures/servers/echo.mjs')
const npx = (...args: readonly string[]) => ({ command: 'npx', args: ['-y', ...args] })
writeFileSync(
  settings,
  JSON.stringify({
    mcpServers: {
      notes: { ...npx('@notionhq/notion-mcp-server'), env: { NOTION_TOKEN: TOKEN } },
      linear: npx('mcp-remote', 'https://mcp.linear.app/sse'),
      time: { command: 'uv', args: ['run', 'server.py'] },
      hello: { command: 'node', args: [ECHO] },
      gone: { command: 'node', args: ['/nowhere/server.mjs'] },
    },
  }),
)

const MISSING = {
  linear: 'Sign in: run `cordon connect linear`.',
  time: "Cordon does not run projects of uv, only packages; paste the server's npx or uvx line or its https address instead, if it has one.",
  gone: 'There is no file /nowhere/server.mjs.',
}

test('a dry run says what would run, and the one thing that each of the others lacks', async () => {
  const { code, stdout } = await cordon.run(['mcp', 'migrate', '--from', settings, '--dry-run'])
  assert.equal(code, 0)
  assert.match(
    stdout,
    /notes: would be created .*would install: @notionhq\/notion-mcp-server@2\.5\.2, in its sandbox\n {4}could reach: api\.notion\.com\n {4}a token in plain text would go to the vault as notes\/NOTION_TOKEN/s,
  )
  assert.doesNotMatch(stdout, /: created|went to/)
  for (const [server, sentence] of Object.entries(MISSING)) {
    const about = stdout.split(`\n  ${server}: `)[1]?.split('\n  ').join('\n')
    assert.ok(about?.includes(`missing: ${sentence}`), `${server}: ${about}`)
  }
  assert.doesNotMatch(stdout, new RegExp(TOKEN))
})

test('moved in, what can run runs, and the others say the same thing as before', async () => {
  assert.equal((await cordon.run(['vault', 'init', '--key', 'keyfile'])).code, 0)
  const migrated = await cordon.run(['mcp', 'migrate', '--from', settings])
  assert.match(migrated.stderr, /^notes: 24 tools$/m)
  assert.match(migrated.stderr, /^hello: 6 tools$/m)
  assert.match(migrated.stdout, /2 of \d imported servers run\./)
  for (const sentence of Object.values(MISSING)) assert.ok(migrated.stdout.includes(sentence))
  const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  const badges = servers.map(({ server, state }) => [server, state.badge])
  assert.deepEqual(
    badges.filter(([, badge]) => badge === 'connected'),
    [
      ['hello', 'connected'],
      ['notes', 'connected'],
    ],
  )
  const time = servers.find(({ server }) => server === 'time')
  assert.deepEqual([time?.state.badge, time?.warnings], ['disabled', [MISSING.time]])
  const remote = servers.find(({ server }) => server === 'linear')
  assert.deepEqual([remote?.transport, remote?.cordon], ['sse', 'remote'])
})

test('the catalog vouches for the package: its read needs no approval, and reaches its host', async () => {
  const called = await cordon.run(['mcp', 'call', 'notes.API-get-self', '{}'])
  assert.equal(called.code, 0, called.stderr)
  assert.deepEqual(notion.asked, ['GET /v1/users/me 200'])
})

test('the file stays as it was imported, and what runs is the pinned package', async () => {
  const file = path.join(cordon.home, 'mcp', 'notes.toml')
  assert.match(readFileSync(file, 'utf8'), /command = "npx"/)
  const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'notes'])
  assert.equal(shown.command, 'node')
  assert.match(shown.args[0] ?? '', /packages\/notion@2\.5\.2\/node_modules\/@notionhq/)
  assert.deepEqual(shown.warnings, [])
})

test('a line written by hand is installed at its first start', async () => {
  const text = `[server]\ncommand = "npx"\nargs = ["@notionhq/notion-mcp-server"]\n[auth]\nNOTION_TOKEN = "vault:notes/NOTION_TOKEN"\n`
  writeFileSync(path.join(cordon.home, 'mcp', 'own.toml'), text)
  const { state, allowedDomains } = await startOwn()
  assert.deepEqual([state.badge, state.tools, allowedDomains], ['connected', 24, [NOTION_HOST]])
})

async function startOwn(): Promise<Output<'mcp.show'>> {
  await cordon.run(['down'])
  await cordon.ask(['mcp', 'start', 'own'])
  return await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'own'])
}

test('an import is undone, whatever was installed since', async () => {
  const undone = await cordon.ask<Output<'mcp.undo'>>(['mcp', 'undo'])
  assert.deepEqual(
    undone.servers.map(({ server, action }) => [server, action]),
    ['notes', 'linear', 'time', 'hello', 'gone'].map((server) => [server, 'removed']),
  )
})
