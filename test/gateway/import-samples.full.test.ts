/**
 * Files of clients as they are found on real machines: comments, byte order marks, line ends, tabs, links, modes, names in
 * every script, and entries of every kind. Moved in, started by their own start line, and restored to the same bytes.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { ClientPlan } from '../../src/ports/client-import-port.ts'
import { type Cordon, openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { entryOf, listThrough } from './start-line.ts'

const ECHO = path.join(root, 'test', 'fixtures', 'servers', 'echo.mjs')
const NODE = process.execPath
const TOKEN = 'ghp_canary0123456789canary0123456789'

interface Shape {
  /** The text of the table of servers, in the way of this file. */
  readonly write: (key: string, servers: Readonly<Record<string, object>>) => string
  readonly mode?: number
  readonly isLink?: true
  /** Clients that read strict JSON alone would not start with it themselves. */
  readonly isLenient?: true
}

const plain: Shape['write'] = (key, servers) => JSON.stringify({ [key]: servers }, null, 2)
const SHAPES: Readonly<Record<string, Shape>> = {
  'as the client writes it': { write: plain },
  'only for its owner': { write: plain, mode: 0o600 },
  'read-only': { write: plain, mode: 0o444 },
  'without a line break': { write: (key, servers) => JSON.stringify({ [key]: servers }) },
  'with tabs and CRLF': {
    write: (key, servers) =>
      `${JSON.stringify({ a: 1, [key]: servers, z: [] }, null, '\t').replaceAll('\n', '\r\n')}\r\n\r\n`,
  },
  'behind a link': { write: plain, isLink: true },
  'with a byte order mark': { write: (key, servers) => `\ufeff${plain(key, servers)}\n` },
  'with comments and trailing commas': {
    isLenient: true,
    write: (key, servers) => {
      const entries = Object.entries(servers).map(
        ([name, entry]) => `    // ${name}\n    ${JSON.stringify(name)}: ${JSON.stringify(entry)},`,
      )
      return `/* mine */\n{\n  // servers\n  "${key}": {\n${entries.join('\n')}\n  }, // last\n}\n`
    },
  },
}

const KINDS = {
  local: { command: NODE, args: [ECHO] },
  'with token': { command: NODE, args: [ECHO, 'token'], env: { GITHUB_TOKEN: TOKEN } },
  'Zoë’s 服务器 🚀': { command: NODE, args: [ECHO, 'unicode'] },
  'https.headers': {
    type: 'http',
    url: 'https://mcp.linear.app/mcp',
    headers: { Authorization: `Bearer ${TOKEN}` },
  },
  sse: { type: 'sse', url: 'https://mcp.atlassian.com/v1/sse' },
  gone: { command: '/no/such/program', args: [] },
  broken: { args: ['without a command'] },
  'not an object': 7 as unknown as object,
}

const PLACES: Readonly<Record<string, readonly [place: string, key: string]>> = {
  'claude-desktop': ['.config/Claude/claude_desktop_config.json', 'mcpServers'],
  'claude-code': ['.claude.json', 'mcpServers'],
  cursor: ['.cursor/mcp.json', 'mcpServers'],
  vscode: ['.config/Code/User/mcp.json', 'servers'],
  windsurf: ['.codeium/windsurf/mcp_config.json', 'mcpServers'],
  cline: [
    '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    'mcpServers',
  ],
  gemini: ['.gemini/settings.json', 'mcpServers'],
}

interface Sample {
  readonly client: string
  readonly file: string
  readonly text: string
  readonly mode: number
  readonly isLenient: boolean
}

function writeSample(cordon: Cordon, client: string, shape: Shape): Sample {
  const [place = '', key = ''] = PLACES[client] ?? []
  const file = path.join(path.dirname(cordon.home), place)
  const target = shape.isLink ? path.join(path.dirname(cordon.home), `${client}.dotfile`) : file
  mkdirSync(path.dirname(file), { recursive: true })
  const text = shape.write(key, KINDS)
  const { mode = 0o644 } = shape
  writeFileSync(target, text)
  chmodSync(target, mode)
  if (shape.isLink) symlinkSync(target, file)
  return { client, file, text, mode, isLenient: shape.isLenient === true }
}

const modeOf = (file: string): number => statSync(file).mode & 0o777

async function movesThereAndBack(cordon: Cordon, sample: Sample, where: string): Promise<void> {
  const { client, file, text, mode } = sample
  const link = lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined
  const shown = await cordon.ask<{ clients: readonly ClientPlan[] }>([
    'import',
    client,
    '--dry-run',
  ])
  assert.equal(readFileSync(file, 'utf8'), text, where)
  assert.doesNotMatch(JSON.stringify(shown), /canary/, where)
  const fates = Object.fromEntries(
    (shown.clients[0]?.entries ?? []).map(({ name, fate }) => [name, fate]),
  )
  assert.deepEqual(
    [fates['local'], fates['with token'], fates['Zoë’s 服务器 🚀'], fates['gone'], fates['broken']],
    ['moves', 'moves', 'moves', 'stays', 'stays'],
    where,
  )
  const moved = await cordon.run(['--json', 'import', client, '--yes'])
  assert.equal(moved.code, 0, `${where}: ${moved.stdout}${moved.stderr}`)
  const now = readFileSync(file, 'utf8')
  assert.doesNotMatch(now + moved.stdout + moved.stderr, /canary/, where)
  assert.match(now, /\/no\/such\/program/, `${where}: what cannot move stays`)
  assert.equal(modeOf(file), mode, where)
  const tools = await listThrough(entryOf(client, now, sample.isLenient))
  for (const name of ['local__sum', 'with-token__sum']) {
    assert.ok(tools.includes(name), `${where}: ${name} in ${tools.join()}`)
  }
  assert.equal(
    tools.filter((name) => name.endsWith('__sum')).length,
    3,
    `${where}: ${tools.join()}`,
  )
  await cordon.ask(['import', client, '--undo'])
  assert.deepEqual(readFileSync(file), Buffer.from(text), where)
  assert.equal(modeOf(file), mode, where)
  if (link !== undefined) assert.equal(readlinkSync(file), link, where)
}

for (const client of Object.keys(PLACES)) {
  test(`MOVE-1: ${client}: files of every shape with entries of every kind move in, work, and come back byte for byte`, async () => {
    for (const [name, shape] of Object.entries(SHAPES)) {
      await using cordon = openCordon()
      await movesThereAndBack(cordon, writeSample(cordon, client, shape), `${client} ${name}`)
    }
  })
}

/** An import of Cursor that has written the file, and now waits for a server that never speaks. */
async function importStarting(cordon: Cordon) {
  const file = path.join(path.dirname(cordon.home), '.cursor', 'mcp.json')
  const text = `{"mcpServers": {"silent": {"command": "/bin/sleep", "args": ["1000"]}}}\n`
  mkdirSync(path.dirname(file))
  writeFileSync(file, text)
  await cordon.ask(['up', '--detach'])
  const child = cordon.start(['import', 'cursor', '--yes'])
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const ended = once(child, 'close')
  await until(() => said.includes('Starting silent'))
  assert.notEqual(readFileSync(file, 'utf8'), text)
  return { child, file, text, ended: () => ended.then(() => said) }
}

test('MOVE-1: Ctrl-C while the servers start takes the import back', async () => {
  await using cordon = openCordon()
  const { child, file, text, ended } = await importStarting(cordon)
  child.kill('SIGINT')
  assert.match(await ended(), /Cursor: everything is as it was before/)
  assert.equal(readFileSync(file, 'utf8'), text)
  assert.deepEqual(readdirSync(path.join(cordon.home, 'mcp')), [])
  const undone = await cordon.run(['import', 'cursor', '--undo'])
  assert.match(undone.stderr, /there is none/)
})

test('MOVE-1: a kernel that is killed while the servers start leaves an import that says how to take it back', async () => {
  await using cordon = openCordon()
  const { file, text, ended } = await importStarting(cordon)
  const lock = readFileSync(path.join(cordon.home, 'run', 'cordon.lock'), 'utf8')
  process.kill((JSON.parse(lock) as { readonly pid: number }).pid, 'SIGKILL')
  const said = await ended()
  assert.match(said, /starts Cordon now; take it back with `cordon import cursor --undo`/)
  assert.doesNotMatch(said, /as it was before/)
  await cordon.ask(['import', 'cursor', '--undo'])
  assert.equal(readFileSync(file, 'utf8'), text)
})
