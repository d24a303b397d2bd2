import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capability } from './capability.ts'
import { OWNER } from './principal.ts'
import { parseServerId } from './server-id.ts'

const tool = { server: parseServerId('mail'), name: 'send' }
const call = { callId: 'c', principal: OWNER, tool, args: { to: 'bob' } }

test('POLICY-5: a capability runs its own call, once, within five minutes', () => {
  const capability = Capability.issue(call, 1_000)
  assert.equal(Capability.redeem(capability, 2_000), call)
  assert.throws(() => Capability.redeem(capability, 2_000), { code: 'kernel.capability' })
  const late = Capability.issue(call, 1_000)
  assert.throws(() => Capability.redeem(late, 1_000 + 300_000), { code: 'kernel.capability' })
  assert.throws(() => Capability.redeem({} as Capability, 0), /No capability/)
})
