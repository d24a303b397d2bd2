import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallResult } from '../kernel/tool-call.ts'
import { Metrics } from './metrics.ts'

const GAUGES = { connections: 1, sessions: 2, requests: 3, servers: 4, running: 5, approvals: 6 }
const NEVER = new AbortController().signal

async function count(metrics: Metrics, server: string, result: CallResult): Promise<void> {
  const call = metrics.measure(async () => result)
  const tool = { server, name: 'secret-tool' }
  const about = { callId: '1', tool, args: { text: 'secret-argument' }, leave: NEVER }
  await call({} as never, about as never, NEVER)
}

test('metrics name servers and outcomes, and nothing that a client said or was told', async () => {
  const metrics = new Metrics()
  await count(metrics, 'echo', { kind: 'refused', rule: 'secret-rule', reason: 'secret-reason' })
  await count(metrics, 'echo', { kind: 'refused', rule: 'approval.waiting', reason: 'secret' })
  const text = metrics.text(GAUGES)
  assert.match(text, /^cordon_gateway_calls_total\{server="echo",outcome="refused"\} 1$/m)
  assert.match(text, /^cordon_gateway_calls_total\{server="echo",outcome="waiting"\} 1$/m)
  assert.match(text, /^cordon_gateway_call_duration_seconds_bucket\{server="echo",le="\+Inf"\} 2$/m)
  assert.match(text, /^cordon_approvals_waiting 6$/m)
  assert.doesNotMatch(text, /secret/)
})

test('metrics count servers above the limit as one', async () => {
  const metrics = new Metrics()
  const refused: CallResult = { kind: 'refused', rule: 'a', reason: 'b' }
  for (let at = 0; at < 203; at += 1) await count(metrics, `server-${at}`, refused)
  const text = metrics.text(GAUGES)
  assert.match(text, /^cordon_gateway_calls_total\{server="other",outcome="refused"\} 3$/m)
  assert.equal(text.match(/_count\{/g)?.length, 201)
})
