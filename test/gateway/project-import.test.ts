/** The files that a project brings along (`.mcp.json` and the like): shown, moved only when asked for, and restored. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import type { ClientPlan } from '../../src/ports/client-import-port.ts'
import { openCordon, root } from '../fixtures/cordon.ts'

const ECHO = path.join(root, 'test', 'fixtures', 'servers', 'echo.mjs')
const TOKEN = 'canary-0123456789abcdef0123456789'
const ENTRY = { command: process.execPath, args: [ECHO], env: { API_TOKEN: TOKEN } }
const NEWEST = { command: 'npx', args: ['-y', 'some-server'] }

const FILES: Readonly<Record<string, string>> = {
  '.mcp.json': `{\n\t"mcpServers": {"echo": ${JSON.stringify(ENTRY)}}\n}`,
  '.cursor/mcp.json': `{ "mcpServers": {\r\n "echo": ${JSON.stringify(ENTRY)} } }\r\n`,
  '.vscode/mcp.json': `{ /* ours */ "servers": { "echo": ${JSON.stringify(ENTRY)} } }`,
}

function writeProject(folder: string, files = FILES): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
}

const textsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(FILES).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  )

test('MOVE-1: files of a project are shown, moved when asked for by name, and restored byte for byte', async () => {
  await using cordon = openCordon()
  const cwd = path.join(path.dirname(cordon.home), 'project')
  writeProject(cwd)
  const mine = path.join(path.dirname(cordon.home), '.cursor', 'mcp.json')
  mkdirSync(path.dirname(mine))
  writeFileSync(mine, '{}')
  const plain = await cordon.run(['import', '--yes'], { cwd })
  assert.equal(plain.code, 0, plain.stderr)
  assert.match(plain.stderr, /\.mcp\.json starts echo around Cordon; tokens in plain text: echo/)
  assert.match(plain.stderr, /`cordon import --project`/)
  assert.deepEqual(textsIn(cwd), FILES, 'nobody asked for them')

  const asked = ['import', '--project']
  const shown = await cordon.ask<{ clients: readonly ClientPlan[] }>([...asked, '--dry-run'], {
    cwd,
  })
  const ids = ['claude-code-project', 'cursor-project', 'vscode-project']
  assert.deepEqual(
    shown.clients.map(({ client }) => client),
    ids,
  )
  assert.doesNotMatch(JSON.stringify(shown), /canary/)
  assert.deepEqual(textsIn(cwd), FILES)

  const moved = await cordon.run([...asked, '--yes'], { cwd })
  assert.equal(moved.code, 0, moved.stdout + moved.stderr)
  assert.match(moved.stderr, /belongs to everybody who works on the project/)
  for (const text of Object.values(textsIn(cwd))) {
    assert.doesNotMatch(text, /canary/)
    assert.match(text, /gateway/)
  }
  assert.match(textsIn(cwd)['.vscode/mcp.json'] ?? '', /\/\* ours \*\//)
  await cordon.ask([...asked, '--undo'], { cwd })
  assert.deepEqual(textsIn(cwd), FILES)
  const { clients } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  assert.deepEqual(
    clients.map(({ name }) => name),
    ['cursor'],
  )
})

test('MOVE-1: two projects are moved and undone apart, and share the key until the last is undone', async () => {
  await using cordon = openCordon()
  const [one, two] = ['one', 'two'].map((name) => path.join(path.dirname(cordon.home), name))
  assert.ok(one !== undefined && two !== undefined)
  const files = { '.mcp.json': FILES['.mcp.json'] ?? '' }
  for (const folder of [one, two]) {
    writeProject(folder, files)
    const { code, stderr } = await cordon.run(['import', '--project', '--yes'], { cwd: folder })
    assert.equal(code, 0, stderr)
  }
  const keys = async (): Promise<readonly string[]> => {
    const { clients } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
    return clients.map(({ name }) => name)
  }
  await cordon.ask(['import', '--project', '--undo'], { cwd: one })
  assert.equal(readFileSync(path.join(one, '.mcp.json'), 'utf8'), files['.mcp.json'])
  assert.match(readFileSync(path.join(two, '.mcp.json'), 'utf8'), /gateway/)
  assert.deepEqual(await keys(), ['claude-code-project'])
  await cordon.ask(['import', '--project', '--undo'], { cwd: two })
  assert.equal(readFileSync(path.join(two, '.mcp.json'), 'utf8'), files['.mcp.json'])
  assert.deepEqual(await keys(), [])
  const none = await cordon.run(['import', '--project'], { cwd: path.dirname(cordon.home) })
  assert.match(none.stderr, /Cannot find servers of a project/)
})

test('cordon doctor names the servers of the project in the current folder', async () => {
  await using cordon = openCordon()
  const cwd = path.join(path.dirname(cordon.home), 'project')
  const servers = { echo: ENTRY, newest: NEWEST }
  writeProject(cwd, { '.mcp.json': JSON.stringify({ mcpServers: servers }) })
  const check = async (): Promise<void> => {
    const { stdout } = await cordon.run(['doctor'], { cwd })
    assert.match(stdout, /Claude Code in this project starts echo, newest around Cordon/)
    assert.match(stdout, /no version is pinned for newest; tokens in plain text: echo/)
    assert.match(stdout, /`cordon import --project/)
    assert.doesNotMatch(stdout, /canary/)
  }
  await check()
  await cordon.ask(['up', '--detach'])
  await check()
})
