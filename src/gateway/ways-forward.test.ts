import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import { createSession, raiseLabel } from './client-session.ts'
import { waitingWays, waysForward } from './ways-forward.ts'

const tool = { server: parseServerId('slack'), name: 'send' }
const CLIENT = { name: 'claude', taint: 'ask', createdAt: '' } as const
const READ = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) } as const

test('a refusal names every way that can help, and none around a no', () => {
  const clean = createSession(CLIENT)
  const tainted = createSession(CLIENT)
  raiseLabel(tainted, READ)
  const said = (session: typeof clean, rule: string): string =>
    waysForward(session, tool, { reason: 'Why', rule })
  assert.match(said(tainted, 'plan.external'), /^Why\. Ways forward: .*run_flow/)
  assert.equal(said(clean, 'plan.external'), 'Why')
  assert.match(
    said(tainted, 'approval.needed'),
    /run_flow.*cordon client edit claude --tainted ask/,
  )
  assert.match(said(tainted, 'approval.expired'), /page, terminal or phone.*run_flow.*grant/)
  assert.match(said(clean, 'template.tool'), /cordon context edit NAME --add slack\.send/)
  assert.doesNotMatch(said(tainted, 'approval.denied'), /run_flow|grant|again/)
  assert.equal(said(tainted, 'tool.arguments'), 'Why')
  assert.match(waitingWays(tainted), /exactly the same arguments again.*run_flow.*grant/)
})
