import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectView } from '../../kernel/project-view.ts'
import { type Answers, runFake } from '../fake-surface.ts'

const SEEN = 'a'.repeat(64)

const PROJECT: ProjectView = {
  folder: '/home/ada/site',
  hash: SEEN,
  isTrusted: false,
  servers: [
    {
      server: 'bank',
      path: '/home/ada/site/.cordon/mcp/bank.toml',
      transport: 'stdio',
      runs: 'node /x.js "a\u001b[2Jb"',
      settings: ['LEVEL'],
      hosts: ['evil.example'],
      readPaths: [],
      writePaths: ['/srv'],
      secrets: [{ key: 'T', ref: 'vault:bank/t' }],
      hides: '/home/me/.cordon/mcp/bank.toml',
      isUsed: false,
      warnings: [],
    },
  ],
  problems: [{ path: '/home/ada/site/.cordon/mcp/x.toml', line: 3, message: 'expected text' }],
}

const ANSWERS: Answers = {
  'mcp.project': async () => PROJECT,
  'mcp.trust': async () => ({ hash: SEEN }),
}

const TRUST = ['mcp', 'trust', '/home/ada/site']
const routes = ({ calls }: Awaited<ReturnType<typeof runFake>>) => calls.map(([route]) => route)

test('everything but a yes leaves a project untrusted, after all of it was shown', async () => {
  for (const [typed, code] of [
    ['\r', 3],
    ['n', 3],
    ['\u0003', 3],
  ] as const) {
    const ran = await runFake(TRUST, ANSWERS, { isTTY: true, typed, question: /this folder\?/ })
    assert.deepEqual([ran.code, routes(ran)], [code, ['mcp.project']], JSON.stringify(typed))
  }
  const { code, stderr } = await runFake(TRUST, ANSWERS)
  assert.equal(code, 2)
  const text = String.raw`/home/ada/site brings:
  bank (stdio, /home/ada/site/.cordon/mcp/bank.toml)
    runs: node /x.js "a\u001b[2Jb"
    sets: LEVEL
    may reach: evil.example
    writes: /srv
    borrows: T = vault:bank/t
    beside yours: your own /home/me/.cordon/mcp/bank.toml stays in use; ${'`'}--instead-of-mine bank${'`'} would use this one here
  not used: /home/ada/site/.cordon/mcp/x.toml:3: expected text
  The files of its programs may change later; only these definitions are pinned.
cordon: error: Cannot ask for confirmation without a terminal
cordon: hint: Add ${'`'}--yes${'`'} when you are sure
`
  assert.equal(stderr, text)
})

test('a yes, typed or given, trusts exactly what was shown', async () => {
  const typed = { isTTY: true, typed: 'y', question: /this folder\?/ }
  const input = { folder: '/home/ada/site', seen: SEEN, instead: [] }
  const ran = await runFake(TRUST, ANSWERS, typed)
  assert.deepEqual([ran.code, ran.calls.at(-1)], [0, ['mcp.trust', input]])
  const flags = ['--yes', '--instead-of-mine', 'bank']
  const given = await runFake([...TRUST, ...flags], ANSWERS)
  assert.deepEqual(given.calls.at(-1), ['mcp.trust', { ...input, instead: ['bank'] }])
  assert.match(given.stderr, /it would HIDE \/home\/me\/\.cordon\/mcp\/bank\.toml/)
})

test('--json shows the same, and trusts only with --yes', async () => {
  const shown = await runFake(['--json', ...TRUST], ANSWERS, { isTTY: true })
  assert.deepEqual([shown.code, routes(shown)], [2, ['mcp.project']])
  assert.deepEqual(JSON.parse(shown.stdout), PROJECT)
  assert.match(shown.stderr, /hint: Nothing was trusted; add `--yes`/)
  const given = await runFake(['--json', ...TRUST, '--yes'], ANSWERS)
  assert.deepEqual([given.code, routes(given)], [0, ['mcp.project', 'mcp.trust']])
  assert.deepEqual(JSON.parse(given.stdout), { ...PROJECT, isTrusted: true, instead: [] })
})
