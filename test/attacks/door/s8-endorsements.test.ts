/**
 * S8, endorsements: a value that the owner allowed in one place is used in another, at the real door with the real
 * approvals. The control is the policy with the place left out, as it was kept before: there the call runs unasked.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool } from '../../../src/kernel/call-tool.ts'
import { Capability } from '../../../src/kernel/capability.ts'
import type { EndorsedPlace } from '../../../src/kernel/approval-port.ts'
import { nonInteractive } from '../../../src/kernel/non-interactive.ts'
import { createPolicy } from '../../../src/policy/create-policy.ts'
import type { Json } from '../../../src/text/json.ts'
import {
  allow,
  asked,
  never,
  openApprovalsHouse,
  openQuestion,
  type Wishes,
} from '../../policy/approvals-house.ts'

const entry = { end: async <T>(result: T) => result, [Symbol.dispose]: () => undefined }
const label = { integrity: 'external', level: 'internal', origins: new Set<string>() } as const

/** The owner endorses "hi" in the argument `channel` of the server `chat`. */
const ENDORSED: Wishes = { server: 'chat', tool: 'post', args: { channel: 'hi' } }

async function openDoor(placed: (place: EndorsedPlace) => EndorsedPlace) {
  const house = await openApprovalsHouse()
  const { approvals } = house
  const ran: [string, Json][] = []
  const policy = createPolicy({
    secrets: { isIn: () => false },
    grantsFor: (tool) => approvals.grantsFor(tool),
    isEndorsed: (task, value, place) => approvals.isEndorsed(task, value, placed(place)),
    alarm: () => undefined,
  })
  const call = (wishes: Wishes, isAttended: boolean) => {
    const { request, facts } = asked(wishes)
    const servers = {
      know: () => facts,
      misfit: async () => undefined,
      call: async (capability: Capability) => {
        const { tool, args } = Capability.redeem(capability, Date.now())
        ran.push([`${tool.server}.${tool.name}`, { ...args }])
        return { kind: 'ok', value: 'done', label } as const
      },
    }
    const rooms = { policy, servers, audit: { begin: async () => entry } }
    return callTool(
      { ...rooms, approvals: isAttended ? approvals : nonInteractive(approvals) },
      request,
      never,
    )
  }
  const endorsing = call(ENDORSED, true)
  await openQuestion(approvals)
  await allow(approvals, 'endorse')
  await endorsing
  return { call, ran, [Symbol.asyncDispose]: house[Symbol.asyncDispose] }
}

const asGiven = (place: EndorsedPlace): EndorsedPlace => place
/** The rule taken out: every place counts as the one that was endorsed. */
const anywhere = (): EndorsedPlace => ({ server: 'chat', argument: 'channel' })

const step = (wishes: Wishes): Wishes => ({ ...wishes, task: { step: '2' } })

for (const [where, wishes] of [
  ['another server', { server: 'bank', tool: 'publish', args: { channel: 'hi' } }],
  ['another argument', { server: 'chat', tool: 'post', args: { topic: 'hi' } }],
  ['another server and argument (E12)', { server: 'bank', tool: 'publish', args: { name: 'hi' } }],
  ['a name in other letters', { server: 'chat', tool: 'post', args: { Channel: 'hi' } }],
] as const) {
  test(`S8: a value endorsed as a chat channel is asked about again at ${where}`, async () => {
    await using door = await openDoor(asGiven)
    const result = await door.call(step(wishes), false)
    assert.deepEqual('rule' in result && result.rule, 'approval.needed')
    assert.deepEqual(door.ran.length, 1)

    await using open = await openDoor(anywhere)
    assert.equal((await open.call(step(wishes), false)).kind, 'ok', 'control')
    const tool = `${wishes.server}.${wishes.tool}`
    assert.deepEqual(open.ran.at(-1), [tool, wishes.args], 'control')
  })
}

test('S8: the endorsed value passes where it was endorsed, also in another tool of the server', async () => {
  await using door = await openDoor(asGiven)
  assert.equal((await door.call(step(ENDORSED), false)).kind, 'ok')
  assert.equal((await door.call(step({ ...ENDORSED, tool: 'join' }), false)).kind, 'ok')
})
