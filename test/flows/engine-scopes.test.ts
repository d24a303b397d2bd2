/** Permissions that a flow is known to lack, before its first step. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../src/kernel/test-never.ts'
import { startOf } from './engine-house.ts'
import { NOTE, openWithTools, READ } from './engine-tools.ts'

test('a permission that a tool is known to lack is a warning of the check, and keeps a run from starting', async () => {
  const asked: unknown[] = []
  const problem = { code: 'servers.no-scope', message: 'box needs write', hint: 'Run it' }
  const readiness = async (...used: readonly unknown[]) => {
    asked.push(used)
    return problem
  }
  await using house = await openWithTools({ rooms: { readiness } })
  const source = { kind: 'ir', ir: { nodes: [READ, NOTE] } } as const
  const { findings, isSound } = await house.flows.check(source, undefined, never)
  assert.deepEqual(findings, [{ ...problem, severity: 'warning', place: 'box' }])
  assert.equal(isSound, true)
  assert.deepEqual(asked, [['box', { tools: ['list', 'note'] }]])
  await assert.rejects(house.flows.start(startOf('r', { nodes: [READ] }), never), {
    code: 'flows.not-ready',
  })
})
