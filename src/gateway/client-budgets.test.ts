import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../kernel/principal.ts'
import type { CallResult } from '../kernel/tool-call.ts'
import type { ClientBudget, GatewayClient } from '../ports/client-port.ts'
import { ClientBudgets } from './client-budgets.ts'
import { createSession } from './client-session.ts'
import { limitSubscriptions } from './limit-client.ts'

function house(limits: ClientBudget) {
  const clock = { now: 0 }
  const recorded: string[] = []
  const client: GatewayClient = { name: 'claude', taint: 'ask', createdAt: '', limits }
  const budgets = new ClientBudgets({
    owner: OWNER.id,
    clients: { find: (name) => (name === 'claude' ? client : undefined) },
    audit: {
      append({ kind }) {
        recorded.push(kind)
        return { seq: 0, hash: '' }
      },
    },
    now: () => clock.now,
  })
  return { budgets, clock, recorded, client }
}

test('calls of requests and of flows share a sliding minute; a request is refused, a flow is told how long to wait', () => {
  const { budgets, clock, recorded } = house({ callsPerMinute: 2 })
  assert.equal(budgets.take('claude'), undefined)
  clock.now = 10_000
  assert.equal(budgets.waitMs('claude'), undefined)
  assert.match(budgets.take('claude') ?? '', /2 calls a minute.*in 50 seconds/)
  assert.equal(budgets.waitMs('claude'), 50_000)
  assert.deepEqual(recorded, ['gateway.limited'])
  clock.now = 60_000
  assert.equal(budgets.waitMs('claude'), undefined)
  assert.equal(budgets.waitMs('claude'), 10_000)
  assert.equal(budgets.waitMs('cursor'), undefined)
})

test('bytes are counted for a day, and do not hold up a flow that runs already', () => {
  const { budgets, clock } = house({ bytesPerDay: 10 })
  budgets.gave('claude', 'x'.repeat(20))
  assert.match(budgets.take('claude') ?? '', /10 bytes of results a day/)
  assert.equal(budgets.waitMs('claude'), undefined)
  clock.now = 86_400_000
  assert.equal(budgets.take('claude'), undefined)
})

test('each resource that is followed is a call, and one above the budget reaches no server', async () => {
  const { budgets, client } = house({ callsPerMinute: 1 })
  const reached: string[] = []
  const limited = limitSubscriptions(async (_session, { tool }): Promise<CallResult> => {
    reached.push(tool.name)
    return { kind: 'failed', reason: '' }
  }, budgets)
  const session = createSession(client)
  const { signal } = new AbortController()
  const call = async (name: string): Promise<CallResult> => {
    const leave = (): AbortSignal => signal
    const tool = { server: 'notes' as never, name }
    return await limited(session, { callId: name, tool, args: {}, leave }, signal)
  }
  await call('~subscribe-resource')
  const refused = await call('~subscribe-resource')
  assert.ok(refused.kind === 'refused' && refused.rule === 'client.budget')
  await call('~read-resource') // its request was counted
  assert.deepEqual(reached, ['~subscribe-resource', '~read-resource'])
})
