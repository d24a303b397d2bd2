/**
 * Moving clients in and out with a real kernel: the files of every supported client, the start line that each of them
 * would run, started by the official SDK, and the way back to the same bytes.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import type { ClientPlan } from '../../src/ports/client-import-port.ts'
import { type Cordon, finish, openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { entryOf, listThrough } from './start-line.ts'

const ECHO = path.join(root, 'test', 'fixtures', 'servers', 'echo.mjs')
const NODE = JSON.stringify(process.execPath)
const TOKEN = 'canary-0123456789abcdef0123456789'

/** The file of each client as its users keep it: comments, tabs, line ends, no last line break. */
const SAMPLES: Readonly<Record<string, readonly [place: string, mode: number, text: string]>> = {
  'claude-desktop': [
    '.config/Claude/claude_desktop_config.json',
    0o644,
    `{\n  "globalShortcut": "",\n  "mcpServers": {\n    "echo": {\n      "command": ${NODE},\n      "args": ["${ECHO}"],\n      "env": { "API_TOKEN": "${TOKEN}" }\n    }\n  }\n}`,
  ],
  'claude-code': [
    '.claude.json',
    0o600,
    `{\n  "numStartups": 7,\n  "projects": {\n    "/home/me/a": {\n      "allowedTools": [],\n      "mcpServers": {\n        "echo-of-a": {"type": "stdio", "command": ${NODE}, "args": ["${ECHO}", "a"], "env": {}}\n      }\n    },\n    "/home/me/b": {}\n  },\n  "mcpServers": {},\n  "oauthAccount": {"accountUuid": "x"}\n}\n`,
  ],
  cursor: [
    '.cursor/mcp.json',
    0o640,
    `{\n\t"mcpServers": {\n\t\t"echo": {"command": ${NODE}, "args": ["${ECHO}"], "env": {"API_TOKEN": "${TOKEN}"}},\n\t\t"boxed": {"command": "docker", "args": ["run", "-i", "--privileged", "some/image"]}\n\t}\n}\n\n`,
  ],
  vscode: [
    '.config/Code/User/mcp.json',
    0o644,
    `{\r\n  // servers of mine\r\n  "inputs": [{ "type": "promptString", "id": "token", "password": true }],\r\n  "servers": {\r\n    /* the only one */\r\n    "echo-vs": { "type": "stdio", "command": ${NODE}, "args": ["${ECHO}", "vs"] }, // local\r\n  },\r\n}\r\n`,
  ],
  windsurf: [
    '.codeium/windsurf/mcp_config.json',
    0o600,
    `{"mcpServers":{"echo-ws":{"command":${NODE},"args":["${ECHO}","ws"],"disabledTools":["slow"]},"remote":{"serverUrl":"https://mcp.linear.app/mcp"}}}`,
  ],
  cline: [
    '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    0o644,
    `{\n  "mcpServers": {\n    "echo-cline": {\n      "autoApprove": ["echo"],\n      "disabled": false,\n      "timeout": 60,\n      "type": "stdio",\n      "command": ${NODE},\n      "args": ["${ECHO}", "cline"]\n    }\n  }\n}\n`,
  ],
  gemini: [
    '.gemini/settings.json',
    0o644,
    `{\n  "security": { "auth": { "selectedType": "oauth-personal" } },\n  "mcpServers": {\n    "echo-gem": { "command": ${NODE}, "args": ["${ECHO}", "gem"], "trust": false },\n    "web": { "httpUrl": "https://mcp.linear.app/mcp", "headers": { "Authorization": "Bearer ${TOKEN}" } }\n  },\n  "ui": { "theme": "Default" }\n}\n`,
  ],
  codex: [
    '.codex/config.toml',
    0o600,
    `# my settings\nmodel = "m" # the model\napproval_policy = "never"\n\n[mcp_servers.echo-codex]\ncommand = ${NODE}\nargs = ["${ECHO}", "codex"] # an argument\n\n[mcp_servers.echo-codex.env]\nAPI_TOKEN = "${TOKEN}"\n\n[projects."/home/me/a"]\ntrust_level = "trusted" # mine\n`,
  ],
}

function writeSamples(home: string): void {
  for (const [place, mode, text] of Object.values(SAMPLES)) {
    const file = path.join(path.dirname(home), place)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, mode)
  }
}

function textOf(home: string, client: string): string {
  return readFileSync(path.join(path.dirname(home), SAMPLES[client]?.[0] ?? ''), 'utf8')
}

test('MOVE-1: every supported client: import, its own start line lists the tools, undo, the same bytes and mode', async () => {
  await using cordon = openCordon()
  writeSamples(cordon.home)
  const shown = await cordon.ask<{ clients: readonly ClientPlan[] }>(['import', '--dry-run'])
  assert.deepEqual(shown.clients.map(({ client }) => client).sort(), Object.keys(SAMPLES).sort())
  assert.doesNotMatch(JSON.stringify(shown), /canary/)
  for (const [client, [, , text]] of Object.entries(SAMPLES)) {
    assert.equal(textOf(cordon.home, client), text)
  }
  const { code, stdout, stderr } = await cordon.run(['--json', 'import', '--yes'])
  assert.equal(code, 0, stdout + stderr)
  assert.doesNotMatch(stdout + stderr, /canary/)
  for (const [client, [, mode]] of Object.entries(SAMPLES)) {
    const text = textOf(cordon.home, client)
    assert.doesNotMatch(text, /canary/)
    const tools = await listThrough(entryOf(client, text))
    for (const name of ['echo__sum', 'echo-codex__sum', 'echo-of-a__sum']) {
      assert.ok(tools.includes(name), `${client}: ${name} in ${tools.join()}`)
    }
    assert.equal(statFor(cordon.home, client), mode)
  }
  keepsTheRest(cordon.home)
  await cordon.ask(['import', '--undo'])
  for (const [client, [, mode, text]] of Object.entries(SAMPLES)) {
    assert.equal(textOf(cordon.home, client), text)
    assert.equal(statFor(cordon.home, client), mode)
  }
  const nothing = await cordon.run(['import', '--undo'])
  assert.match(nothing.stderr, /Cannot undo an import: there is none/)
  assert.deepEqual((await cordon.ask<Output<'clients.list'>>(['client', 'list'])).clients, [])
  assert.deepEqual(readdirSync(path.join(cordon.home, 'mcp')), [])
  assert.deepEqual((await cordon.ask<Output<'vault.list'>>(['vault', 'list'])).secrets, [])
})

function statFor(home: string, client: string): number {
  return statSync(path.join(path.dirname(home), SAMPLES[client]?.[0] ?? '')).mode & 0o777
}

/** Comments, other tables and what cannot move are as they were. */
function keepsTheRest(home: string): void {
  assert.match(textOf(home, 'cursor'), /\n\t\t"boxed": \{"command": "docker", "args": \["run"/)
  assert.match(
    textOf(home, 'vscode'),
    /^\{\r\n {2}\/\/ servers of mine\r\n {2}"inputs": \[\{ "type"/,
  )
  assert.match(textOf(home, 'vscode'), /\/\* the only one \*\//)
  assert.match(textOf(home, 'claude-code'), /"oauthAccount": \{"accountUuid": "x"\}\n\}\n$/)
  assert.match(textOf(home, 'gemini'), /"ui": \{ "theme": "Default" \}\n\}\n$/)
  const codex = textOf(home, 'codex')
  assert.match(codex, /^# my settings\nmodel = "m" # the model\napproval_policy = "never"\n/)
  assert.match(codex, /\[projects\."\/home\/me\/a"\]\ntrust_level = "trusted" # mine\n/)
  assert.match(codex, /\[mcp_servers\.cordon\]/)
  assert.doesNotMatch(codex, /echo-codex/)
}

test('MOVE-1: kill -9 in the middle of an import: the file is the old or the new one, and undo restores it', async () => {
  await using cordon = openCordon()
  writeSamples(cordon.home)
  const original = SAMPLES['cursor']?.[2] ?? ''
  for (let round = 0; round < rounds(12, 3); round += 1) {
    await cordon.ask(['up', '--detach'])
    const before = steps(cordon).length
    const importing = cordon.start(['import', 'cursor', '--yes'])
    const ended = finish(importing)
    // Each round a little later: from before the note to behind the new file.
    await until(() => steps(cordon).length > before + round || importing.exitCode !== null)
    killKernel(cordon)
    await ended
    const found = textOf(cordon.home, 'cursor')
    assert.ok(found === original || entryOf('cursor', found), found)
    const { code, stdout } = await cordon.run(['--json', 'import', 'cursor', '--undo'])
    if (code !== 0) assert.match(stdout, /clients\.no-import/)
    assert.equal(textOf(cordon.home, 'cursor'), original)
    assert.deepEqual(readdirSync(path.join(cordon.home, 'mcp')), [])
    const folder = path.join(path.dirname(cordon.home), '.cursor')
    assert.deepEqual(readdirSync(folder), ['mcp.json'])
    killKernel(cordon)
  }
})

/** Records of the import in the audit log, as far as they are on disk. */
function steps({ home }: Cordon): readonly string[] {
  const folder = path.join(home, 'audit')
  const log = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'latin1'))
  return log.join('').match(/clients\.moved|client-added|servers\.import|vault\.set/g) ?? []
}

function killKernel({ home }: Cordon): void {
  const { pid } = JSON.parse(readFileSync(path.join(home, 'run', 'cordon.lock'), 'utf8')) as {
    pid: number
  }
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

test('a client without servers: install writes only Cordon, doctor names what comes beside it', async () => {
  await using cordon = openCordon()
  const file = path.join(path.dirname(cordon.home), '.cursor', 'mcp.json')
  await cordon.ask(['mcp', 'add', 'echo', '--', process.execPath, ECHO])
  await cordon.ask(['install', 'cursor', '--yes'])
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object), ['mcpServers'])
  assert.ok(
    (await listThrough(entryOf('cursor', readFileSync(file, 'utf8')))).includes('echo__sum'),
  )
  const doctor = async (): Promise<readonly string[]> => {
    const { stdout } = await cordon.run(['--json', 'doctor'])
    const { checks } = JSON.parse(stdout) as Output<'doctor'>
    return checks.filter(({ name }) => name === 'MCP clients').map(({ finding }) => finding)
  }
  assert.deepEqual(await doctor(), [])
  const written = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: object }
  const late = { late: { command: 'npx', args: ['-y', 'late-server'] } }
  writeFileSync(file, JSON.stringify({ mcpServers: { ...written.mcpServers, ...late } }))
  assert.deepEqual(await doctor(), [
    'Cursor also starts late around Cordon; no version is pinned for late',
  ])
})
