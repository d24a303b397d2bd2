import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { type Answers, runFake } from '../fake-surface.ts'

const stop: Answers = {
  'mcp.add': () => Promise.reject(new CordonError('test.end', { exit: 5, hint: '' }, 'the end')),
}
const run = (...args: readonly string[]) => runFake(['registry', 'add-mcp', ...args], stop)

test('R185: registry add-mcp keeps quoted words together, and switches off the tools it does not name', async () => {
  const line = 'node "/srv/my files/mcp.js" --stdio'
  const { calls } = await run('--server', 'gh', '--tool', 'search_code', 'get', '--command', line)
  const ownTools = {
    '*': { enabled: false },
    search_code: { enabled: true },
    get: { enabled: true },
  }
  const launch = { command: 'node', args: ['/srv/my files/mcp.js', '--stdio'], transport: 'stdio' }
  assert.deepEqual(calls, [['mcp.add', { server: 'gh', changes: { ...launch, ownTools } }]])
})

test('R185: registry add-mcp takes a url instead of a command, and refuses both, neither or an open quote', async () => {
  const url = 'https://docs.example/mcp'
  const { calls } = await run('--server', 'docs', '--url', url)
  assert.deepEqual(calls, [
    ['mcp.add', { server: 'docs', changes: { url, transport: 'stream-http' } }],
  ])
  for (const odd of [
    [],
    ['--url', url, '--command', 'a'],
    ['--command', 'node "hush'],
    ['--command', ' '],
  ]) {
    const refused = await run('--server', 'docs', ...odd)
    assert.deepEqual([refused.code, refused.calls.length], [2, 0], odd.join(' '))
    assert.doesNotMatch(refused.stderr, /hush/)
  }
})
