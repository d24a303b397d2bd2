import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answers, runFake } from '../fake-surface.ts'

const answers: Answers = {
  'mcp.export': async () => ({
    document: { mcpServers: { gh: { command: 'npx' } } },
    notes: ['gh: set T\u001b[8m'],
  }),
  'registry.entries': async () => ({ entries: [{ node_id: 'mcp-gh-find' }] }),
}

test('R7, R16: mcp export prints a document that can be piped, and its notes beside it', async () => {
  for (const flags of [[], ['--json']]) {
    const { code, stdout, stderr, calls } = await runFake(
      ['mcp', 'export', 'gh', ...flags],
      answers,
    )
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(stdout), { mcpServers: { gh: { command: 'npx' } } })
    assert.match(stderr, /gh: set T\\u001b\[8m/)
    assert.deepEqual(calls, [['mcp.export', { format: 'claude', servers: ['gh'] }]])
  }
  const wrong = await runFake(['mcp', 'export', '--as', 'word'], answers)
  assert.deepEqual([wrong.code, wrong.calls.length], [2, 0])
})

test('R13: registry export without a node prints the whole registry', async () => {
  const { stdout, calls } = await runFake(['registry', 'export', '--filter', 'gh'], answers)
  assert.deepEqual(JSON.parse(stdout), [{ node_id: 'mcp-gh-find' }])
  assert.deepEqual(calls, [['registry.entries', { filter: 'gh' }]])
})
