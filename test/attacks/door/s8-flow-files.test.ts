/**
 * S8: a flow in a file is somebody else's plan until the owner saves it. Each attack runs on the real engine, door and
 * approval queue, and has a control: the same flow as the owner's own words gets through unasked.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowSource, StartFlow } from '../../../src/ports/flow-port.ts'
import { openQuestion, openQuestions } from '../../policy/approvals-house.ts'
import { memoryShelf } from '../../flows/engine-files.ts'
import { type EngineHouse, never, startOf, untilOver } from '../../flows/engine-house.ts'
import { newPlace, openWithTools, READ, toolsOf } from '../../flows/engine-tools.ts'

const PAY = 'box.send --to attacker --text hello'
const PAY_IR = {
  nodes: [{ id: 'send', type: 'box.send', params: { to: 'attacker', text: 'hello' } }],
}

function start(id: string, source: FlowSource, more: Partial<StartFlow> = {}): StartFlow {
  return startOf(id, {}, { source, ...more })
}

/** Runs the flow unasked; the rule that stopped it, if one did. */
async function ruleOf(house: EngineHouse, source: FlowSource, id: string): Promise<string> {
  await house.flows.start(start(id, source, { approval: 'never' }), never)
  const { problem } = await untilOver(house.flows, id)
  return problem?.rule ?? 'none'
}

test('FLOW-5: S8: a flow file of a cloned project does not write in the owner’s name unasked', async () => {
  await using house = await openWithTools()
  const file = { kind: 'text', text: PAY, isFile: true } as const
  assert.equal(await ruleOf(house, file, 'file'), 'approval.needed')
  const asJson = { kind: 'ir', ir: PAY_IR, isFile: true } as const
  assert.equal(await ruleOf(house, asJson, 'json'), 'approval.needed')
  assert.deepEqual(house.effects(), [])
  // Control: the same words without the mark of the file count as typed, and reach the server.
  assert.equal(await ruleOf(house, { kind: 'text', text: PAY }, 'typed'), 'none')
  assert.deepEqual(house.effects(), ['send "attacker"'])
})

test('S8: --yes does not carry the words of a file along', async () => {
  await using house = await openWithTools()
  const given = { approval: 'given' } as const
  const source = { kind: 'text', text: PAY, isFile: true } as const
  await house.flows.start(start('yes', source, given), never)
  assert.equal((await untilOver(house.flows, 'yes')).problem?.rule, 'approval.not-own-words')
  await house.flows.start(start('own', { kind: 'text', text: PAY }, given), never)
  assert.equal((await untilOver(house.flows, 'own')).state, 'completed')
  assert.deepEqual(house.effects(), ['send "attacker"'])
})

test('S8: the question about a file says that its words are not the owner’s', async () => {
  await using house = await openWithTools()
  await house.flows.start(start('ask', { kind: 'ir', ir: PAY_IR, isFile: true }), never)
  const { items, lines, id } = await openQuestion(house.approvals)
  assert.equal(items[0]?.rule, 'target.external')
  assert.match(JSON.stringify(lines), /‹attacker›/)
  assert.doesNotMatch(JSON.stringify(lines), /you wrote this/)
  await house.approvals.answer({ id, allow: [], by: 'principal:owner' as never }, 'terminal')
  await untilOver(house.flows, 'ask')
  assert.deepEqual(house.effects(), [])
})

test('S8: a saved flow is the owner’s, and one byte more in its file makes it foreign again', async () => {
  await using house = await openWithTools()
  const file = { kind: 'text', text: PAY, isFile: true } as const
  await house.flows.save('pay', file, false)
  assert.equal(await ruleOf(house, { kind: 'saved', name: 'pay' }, 'saved'), 'none')
  assert.equal(await ruleOf(house, file, 'same'), 'none')
  assert.deepEqual(house.effects(), ['send "attacker"', 'send "attacker"'])
  const changed = { ...file, text: `${PAY}!` }
  assert.equal(await ruleOf(house, changed, 'changed'), 'approval.needed')
  await house.flows.remove('pay')
  assert.equal(await ruleOf(house, file, 'removed'), 'approval.needed')
  assert.equal(house.effects().length, 2)
})

test('S8: a file whose tool changed since it was saved is foreign again', async () => {
  const rooms = { savedFlows: memoryShelf() }
  const file = { kind: 'ir', ir: PAY_IR, isFile: true } as const
  {
    await using house = await openWithTools({ rooms })
    await house.flows.save('pay', file, false)
    assert.equal(await ruleOf(house, file, 'same'), 'none')
  }
  const folder = newPlace()
  const tools = toolsOf(folder).map((tool) => ({ ...tool, hash: `other-${tool.name}` }))
  await using house = await openWithTools({ rooms, folder, tools })
  assert.equal(await ruleOf(house, file, 'other'), 'approval.needed')
  assert.deepEqual(house.effects(), [])
})

test('S8: the check of a file foresees the same questions as its run, and says why', async () => {
  await using house = await openWithTools()
  const check = (source: FlowSource) => house.flows.check(source, undefined, never)
  const foreign = await check({ kind: 'text', text: PAY, isFile: true })
  assert.deepEqual(
    foreign.steps.map(({ verdict, rule }) => [verdict, rule]),
    [['ask', 'target.external']],
  )
  assert.ok(foreign.isSound)
  assert.ok(foreign.findings.some(({ code }) => code === 'plan.file'))
  const own = await check({ kind: 'text', text: PAY })
  assert.deepEqual(
    own.steps.map(({ verdict }) => verdict),
    ['allow'],
  )
  assert.ok(own.findings.every(({ code }) => code !== 'plan.file'))
})

test('S8: a foreign flow with two writes asks once, and nothing runs before the answer', async () => {
  await using house = await openWithTools()
  const note = { id: 'note', type: 'box.note', params: { text: '${list.items}' } }
  const ir = { nodes: [READ, note, ...PAY_IR.nodes] }
  await house.flows.start(start('two', { kind: 'ir', ir, isFile: true }), never)
  const [question, ...others] = await openQuestions(house.approvals)
  assert.deepEqual(others, [])
  assert.equal(question?.items[0]?.plan?.steps.length, 2)
  assert.match(JSON.stringify(question?.lines), /Somebody else wrote this flow/)
  assert.deepEqual(house.effects(), [])
  const answer = { id: question?.id ?? '', allow: [], by: 'principal:owner' as never }
  await house.approvals.answer(answer, 'terminal')
  const next = await openQuestion(house.approvals)
  assert.equal(next.items[0]?.plan, undefined)
  await house.approvals.answer({ ...answer, id: next.id }, 'terminal')
  await untilOver(house.flows, 'two')
  assert.deepEqual(house.effects(), [])
})
