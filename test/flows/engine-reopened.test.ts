/** A failed run that its owner resumes: a call that was refused because its approval expired is asked about again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allow, openQuestion } from '../policy/approvals-house.ts'
import { never, startOf, untilOver } from './engine-house.ts'
import { openWithTools, READ } from './engine-tools.ts'

test('a question that nobody answered in time is asked again when the owner has the run go on', async () => {
  const clock = { wall: 0, steady: 0 }
  const calls: string[] = []
  const atDoor = ({ callId }: { readonly callId: string }): void => void calls.push(callId)
  await using house = await openWithTools({ clock, atDoor })
  const nodes = [READ, { id: 'send', type: 'box.send', params: { to: '${list.items[0].id}' } }]
  await house.flows.start(startOf('r', { nodes }), never)
  const first = await openQuestion(house.approvals)
  clock.wall += 301_000
  clock.steady += 301_000
  const { problem } = await untilOver(house.flows, 'r')
  assert.match(problem?.message ?? '', /approval\.expired/)
  await house.flows.answer('r', 'resume', 'retry')
  const second = await openQuestion(house.approvals)
  assert.notEqual(second.id, first.id)
  await allow(house.approvals)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  assert.deepEqual(house.effects(), ['send "m1"'])
  assert.equal(new Set(calls).size, calls.length)
})
