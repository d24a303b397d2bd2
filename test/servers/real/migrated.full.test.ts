/**
 * The same servers from the settings of other programs: a third of them from Claude Desktop, a third from Cursor, a third
 * from VS Code. All are started by `migrate`, list their tools and answer; no token is in a definition.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../../src/api/contract.ts'
import type { Cordon } from '../../fixtures/cordon.ts'
import { argsOf, callOnce, homeOf, openRealHome, openRealWorld } from './real-home.ts'
import { REAL_SERVERS, type RealServer } from './real-servers.ts'

const world = await openRealWorld()
after(() => world[Symbol.asyncDispose]())

const CLIENTS = [
  { client: 'Claude Desktop', file: 'claude_desktop_config.json', key: 'mcpServers', type: {} },
  { client: 'Cursor', file: '.cursor/mcp.json', key: 'mcpServers', type: {} },
  { client: 'VS Code', file: '.vscode/mcp.json', key: 'servers', type: { type: 'stdio' } },
] as const

for (const [at, { client, file, key, type }] of CLIENTS.entries()) {
  test(`servers of ${client}`, async () => {
    const servers = REAL_SERVERS.filter((_, index) => index % CLIENTS.length === at)
    await using cordon = await openRealHome(world, servers)
    const entries = servers.map((one) => [
      one.server,
      { ...type, command: 'npx', args: argsOf(one, cordon), ...(one.env && { env: one.env }) },
    ])
    const settings = path.join(homeOf(cordon), file)
    mkdirSync(path.dirname(settings), { recursive: true })
    writeFileSync(settings, JSON.stringify({ [key]: Object.fromEntries(entries) }))
    const { code, stdout, stderr } = await cordon.run(['mcp', 'migrate', '--from', settings])
    assert.equal(code, 0, stdout + stderr)
    for (const one of servers) await assertAnswers(cordon, one, stdout)
    assert.doesNotMatch(definitionsOf(cordon) + stdout + stderr, /Good1234|MadeUp/)
  })
}

/** A folder is shown to a stranger only by the command that the import names. */
async function assertAnswers(cordon: Cordon, one: RealServer, imported: string): Promise<void> {
  if (one.args && one.version !== undefined) {
    const command = `mcp edit ${one.server} --read ${homeOf(cordon)}/notes`
    assert.ok(imported.includes(`\`cordon ${command}\``), imported)
    await cordon.ask(command.replace('--read', '--write').split(' '))
    await cordon.ask(['mcp', 'start', one.server])
  }
  assert.match(await callOnce(cordon, one), one.call[2], one.server)
  const { state } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', one.server])
  assert.ok(state.badge === 'connected' && state.tools > 0, `${one.server}: ${state.badge}`)
}

function definitionsOf({ home }: Cordon): string {
  const folder = path.join(home, 'mcp')
  return readdirSync(folder)
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
}
