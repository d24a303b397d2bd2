/** Definitions of servers, and their import, seen from a terminal. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import type { ImportReport } from '../../src/kernel/import-report.ts'
import { openCordon } from '../fixtures/cordon.ts'

const TOKEN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
const CURSOR = {
  mcpServers: {
    github: {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-github'],
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN, LOG_LEVEL: 'info' },
    },
    docs: { url: 'https://docs.example.com/mcp' },
  },
}

test('migrate moves servers in, tokens to the vault, and undo takes it back', async () => {
  await using cordon = openCordon()
  const source = path.join(path.dirname(cordon.home), 'mcp.json')
  writeFileSync(source, JSON.stringify(CURSOR))
  const migrate = ['mcp', 'migrate', '--from', source]

  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  const planned = await cordon.ask<ImportReport>([...migrate, '--dry-run'])
  assert.deepEqual(readdirSync(path.join(cordon.home, 'mcp')), [])
  assert.deepEqual(planned.servers.map(({ server }) => server).sort(), ['docs', 'github'])

  const { stdout } = await cordon.run([...migrate, '--backup'])
  assert.match(
    stdout,
    /a token in plain text went to the vault as github\/GITHUB_PERSONAL_ACCESS_TOKEN/,
  )
  const toml = readFileSync(path.join(cordon.home, 'mcp', 'github.toml'), 'utf8')
  assert.match(toml, /GITHUB_PERSONAL_ACCESS_TOKEN = "vault:github\/GITHUB_PERSONAL_ACCESS_TOKEN"/)

  const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'github'])
  assert.deepEqual(shown.credentials, [
    {
      key: 'GITHUB_PERSONAL_ACCESS_TOKEN',
      ref: 'vault:github/GITHUB_PERSONAL_ACCESS_TOKEN',
      present: true,
    },
  ])
  await cordon.ask(['mcp', 'undo'])
  assert.deepEqual(readdirSync(path.join(cordon.home, 'mcp')), [])
  assert.deepEqual(await cordon.ask(['vault', 'list']), { secrets: [] })
})

test('DEF-3: a malformed file is named with its line, and the others load', async () => {
  await using cordon = openCordon()
  await cordon.ask(['up', '--detach'])
  const folder = path.join(cordon.home, 'mcp')
  writeFileSync(path.join(folder, 'good.toml'), 'name = "Good"\n[server]\ncommand = "true"\n')
  writeFileSync(path.join(folder, 'broken.toml'), 'name = "Broken"\n[server]\ncommand = \n')
  writeFileSync(
    path.join(folder, 'wrong.toml'),
    'name = "Wrong"\nlabel = "hush"\n[server]\ncommand = "x"\n',
  )
  const list = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  assert.deepEqual(
    list.servers.map(({ server }) => server),
    ['good'],
  )
  const lines = list.problems.map(({ path: file, line }) => `${path.basename(file)}:${line}`)
  assert.deepEqual(lines.sort(), ['broken.toml:3', 'wrong.toml:2'])
})

test('DEF-1: a project brings servers only after trust, and only while it is unchanged', async () => {
  await using cordon = openCordon()
  const project = path.join(path.dirname(cordon.home), 'project')
  const folder = path.join(project, '.cordon', 'mcp')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'local.toml')
  writeFileSync(file, 'name = "Local"\n[server]\ncommand = "true"\n')
  const names = async () => {
    const list = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'], { cwd: project })
    return list.servers.map(({ server, scope }) => `${server} (${scope})`)
  }
  assert.deepEqual(await names(), [])
  const unasked = await cordon.run(['mcp', 'trust'], { cwd: project })
  assert.equal(unasked.code, 2)
  assert.match(unasked.stderr, /^ {2}local \(stdio, .*local\.toml\)\n {4}runs: true$/m)
  assert.match(unasked.stderr, /hint: Add `--yes` when you are sure/)
  assert.deepEqual(await names(), [])
  await cordon.ask(['mcp', 'trust', '--yes'], { cwd: project })
  assert.deepEqual(await names(), ['local (project)'])
  writeFileSync(file, 'name = "Local"\n[server]\ncommand = "evil"\n')
  assert.deepEqual(await names(), [])
  assert.ok(existsSync(file))
})

test('bad JSON is answered with file, line and what was expected', async () => {
  await using cordon = openCordon()
  const source = path.join(path.dirname(cordon.home), 'mcp.json')
  writeFileSync(source, '{\n  "mcpServers": {\n    "a" {}\n  }\n}\n')
  const { code, stderr } = await cordon.run(['mcp', 'migrate', '--from', source])
  assert.equal(code, 2)
  assert.match(stderr, /mcp\.json/)
  assert.match(stderr, /3/)
  assert.match(stderr, /expected/i)
  assert.doesNotMatch(stderr, /\n\s+at /)
})

test('C3: an import shows what each server runs before one does, and none that steers a loader runs', async () => {
  await using cordon = openCordon()
  const folder = path.dirname(cordon.home)
  const [source, mark] = [path.join(folder, 'mcp.json'), path.join(folder, 'it-ran')]
  const server = {
    command: 'touch',
    args: [mark, 'and more'],
    env: { NODE_OPTIONS: '--require=/x' },
  }
  writeFileSync(source, JSON.stringify({ mcpServers: { it: server } }))
  const { code, stdout, stderr } = await cordon.run(['mcp', 'migrate', '--from', source])
  assert.equal(code, 0)
  assert.ok(
    stderr.includes(`it is kept for later (NODE_OPTIONS=--require=/x touch ${mark} "and more")`),
    stderr,
  )
  assert.match(stdout, /disabled: NODE_OPTIONS decides which code it loads/)
  const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'it'])
  assert.equal(shown.state.badge, 'disabled')
  assert.equal(existsSync(mark), false)
})

test('mcp show says what a server may read, change and reach, also where that is nothing', async () => {
  await using cordon = openCordon()
  const folder = path.dirname(cordon.home)
  const define = (name: string, lines: readonly string[]): void => {
    const text = ['[server]', 'command = "true"', '[sandbox]', ...lines, ''].join('\n')
    writeFileSync(path.join(cordon.home, 'mcp', `${name}.toml`), text, { mode: 0o600 })
  }
  await cordon.ask(['mcp', 'list'])
  mkdirSync(path.join(cordon.home, 'mcp'), { recursive: true, mode: 0o700 })
  define('shut', [])
  define('wide', [`write_paths = [${JSON.stringify(folder)}]`, 'own_ports = true'])
  const shut = (await cordon.run(['mcp', 'show', 'shut'])).stdout
  assert.match(shut, /^may reach +nothing$/m)
  assert.match(shut, /^may read +its own program, and nothing of yours$/m)
  assert.match(shut, /^may change +nothing of yours$/m)
  assert.doesNotMatch(shut, /own ports/)
  const wide = (await cordon.run(['mcp', 'show', 'wide'])).stdout
  for (const row of ['may read', 'may change']) {
    assert.ok(
      wide.split('\n').some((line) => line.startsWith(row) && line.endsWith(folder)),
      wide,
    )
  }
  assert.match(wide, /^sandbox .*, may connect to its own ports$/m)
})
