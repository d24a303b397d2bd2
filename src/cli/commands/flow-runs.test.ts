import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFake } from '../fake-surface.ts'

test('runs are chosen by flow, state and time', async () => {
  const words = ['flow', 'runs', '--flow', 'digest', '--since', '2026-11-15T08:00:00Z']
  const { code, calls } = await runFake([...words, '--state', 'failed'], {
    'flows.runs': async () => ({ runs: [] }),
  })
  assert.equal(code, 0)
  const since = '2026-11-15T08:00:00.000Z'
  assert.deepEqual(calls, [['flows.runs', { limit: 20, state: 'failed', flow: 'digest', since }]])
})

test('a time that cannot be read is refused before anything is asked', async () => {
  const { code, calls, stderr } = await runFake(['flow', 'runs', '--since', 'soon'], {})
  assert.equal(code, 2)
  assert.match(stderr, /Cannot read "soon" as a time/)
  assert.deepEqual(calls, [])
})
