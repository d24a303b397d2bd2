import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { limitsInForce } from '../../text/server-limits.ts'
import { runFake } from '../fake-surface.ts'
import { programFrom } from './add-server.ts'

const shown = (reason: string, tools: number) => async () => ({
  server: 'it',
  name: 'it',
  description: '',
  transport: 'stdio',
  label: 'sensitive',
  scope: 'user' as const,
  path: '/home/mcp/it.toml',
  allowedDomains: [],
  warnings: [],
  cordon: 'bwrap',
  isInsecure: false,
  state: { badge: 'idle' as const, reason, tools, quarantined: 0, restarts: 0 },
  args: [],
  scopes: [],
  sandbox: { memoryLimitBytes: 1, readOnlyFs: true, allowTmp: true, readPaths: [], writePaths: [] },
  limits: limitsInForce({}, 1),
  credentials: [],
})
const api = {
  'mcp.add': shown('It is being started', 0),
  'mcp.show': shown('', 7),
  'mcp.start': async () => ({}) as never,
}
const command = ['mcp', 'add', 'it', '--', 'node', '/srv/it.js']

test('mcp add waits for the first start where a person looks on, and shows what came of it', async () => {
  const watched = await runFake(command, api, { isTTY: true })
  assert.deepEqual(
    watched.calls.map(([route]) => route),
    ['mcp.add', 'mcp.start', 'mcp.show'],
  )
  assert.match(watched.stdout, /tools +7/)
  for (const args of [
    [...command.slice(0, 3), '--no-start', ...command.slice(3)],
    ['--json', ...command],
  ]) {
    const { calls } = await runFake(args, api, { isTTY: true })
    assert.deepEqual(calls.length, 1)
  }
  const alone = await runFake(command, api)
  assert.equal(alone.calls.length, 1)
})

test('mcp add keeps a server that does not start, and says why and what helps', async () => {
  const fails = async () => {
    const outcome = { exit: 5, hint: 'Run `cordon mcp logs it`', why: 'it ended' } as const
    throw new CordonError('servers.start', outcome, 'Cannot start server "it"')
  }
  const { code, stderr } = await runFake(command, { ...api, 'mcp.start': fails }, { isTTY: true })
  assert.equal(code, 5)
  assert.match(stderr, /It is added, and does not start: Cannot start server "it"/)
  assert.match(stderr, /Run `cordon mcp logs it`/)
})

test('mcp add takes plain http only with --insecure, or if the person says so', async () => {
  const plain = ['mcp', 'add', 'it', '--url', 'http://127.0.0.1:3000/mcp']
  const alone = await runFake(plain, api)
  assert.deepEqual([alone.code, alone.calls], [2, []])
  assert.match(alone.stderr, /not encrypted\ncordon: hint: Add `--insecure`/)
  const insecure = { dangerouslyAllowHttp: true, url: 'http://127.0.0.1:3000/mcp' }
  const said = await runFake([...plain, '--insecure'], api)
  assert.deepEqual(said.calls, [['mcp.add', { server: 'it', changes: insecure }]])
  const agreed = await runFake(plain, api, { isTTY: true, typed: 'y' })
  assert.deepEqual(agreed.calls[0], ['mcp.add', { server: 'it', changes: insecure }])
  const refused = await runFake(plain, api, { isTTY: true, typed: 'n' })
  assert.deepEqual(refused.calls, [])
})

test('files of a command are those of the folder where it was typed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-add-'))
  try {
    writeFileSync(path.join(folder, 'own.mjs'), '')
    const words = ['node', 'own.mjs', './data', 'other.mjs', '--port']
    assert.deepEqual(programFrom(words, folder), {
      command: 'node',
      args: [path.join(folder, 'own.mjs'), path.join(folder, 'data'), 'other.mjs', '--port'],
    })
    assert.deepEqual(programFrom([], folder), {})
  } finally {
    rmSync(folder, { recursive: true })
  }
})
