/** A plan is approved once, with its bounds, on the real engine, policy, approval queue and store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { FlowSource } from '../../src/ports/flow-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { openQuestion, openQuestions } from '../policy/approvals-house.ts'
import {
  addEffect,
  type EngineHouse,
  never,
  startOf,
  type TestTool,
  untilOver,
  untilState,
} from './engine-house.ts'
import { newPlace, openWithTools, READ } from './engine-tools.ts'

/** A send to whom a mail says, and a note that cannot be undone. */
const SEND = {
  id: 'send',
  type: 'box.send',
  params: { to: '${list.items[0].subject}', text: 'hello' },
}
const WIPE = { id: 'wipe', type: 'box.wipe', params: { what: 'drafts' } }
const PAY = { id: 'pay', type: 'box.pay', params: { to: 'bob', amount: '${list.items[0].sum}' } }

function moreTools(folder: string, sum = 50): readonly TestTool[] {
  return [
    {
      name: 'wipe',
      effect: 'destructive',
      args: { what: 'target' },
      run: ({ args }) => {
        addEffect(folder, `wipe ${JSON.stringify(args['what'])}`)
        return {}
      },
    },
    {
      name: 'pay',
      effect: 'write',
      args: { to: 'target', amount: 'amount' },
      run: ({ args }) => {
        addEffect(folder, `pay ${JSON.stringify(args['amount'])}`)
        return {}
      },
    },
    { name: 'sums', effect: 'remote-read', run: () => ({ items: [{ sum }] }) },
  ]
}

async function openHouse(folder = newPlace(), sum?: number): Promise<EngineHouse> {
  return await openWithTools({ folder }, moreTools(folder, sum))
}

async function answer(house: EngineHouse, { id, items }: ShownApproval, yes: boolean) {
  const allow = yes ? items.map(({ digest }) => digest.slice(0, 32)) : []
  return await house.approvals.answer({ id, allow, by: OWNER.id }, 'terminal')
}

function textOf({ lines }: Pick<ShownApproval, 'lines'>): string {
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n')
}

async function questionsAsked(house: EngineHouse): Promise<number> {
  return (await house.approvals.list(true)).length
}

test('two questions become one screen, and everything inside it runs without another', async () => {
  await using house = await openHouse()
  await house.flows.start(startOf('r', { nodes: [READ, SEND, WIPE] }), never)
  const question = await openQuestion(house.approvals)
  const text = textOf(question)
  assert.match(text, /Run this plan once, and ask no more inside its bounds: "box\.list/)
  assert.match(text, /1\. Change something with box, tool "send": once \(step "send"\)/)
  assert.match(
    text,
    /varies +"to": NOT SEEN BY YOU: up to 10 of any value, chosen by words from box/,
  )
  assert.match(text, /fixed +text: hello {2}\(you wrote this\)/)
  assert.match(text, /2\. Change or delete something with box, tool "wipe"/)
  assert.match(text, /fixed +what: drafts/)
  assert.match(text, /Whatever leaves these bounds stops, and asks you\./)
  assert.deepEqual(house.effects(), [])
  await answer(house, question, true)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  assert.deepEqual(house.effects(), ['send "one"', 'wipe "drafts"'])
  assert.equal(await questionsAsked(house), 1)
  const kinds = house.events.map(({ kind }) => kind).filter((kind) => kind.startsWith('approval'))
  assert.deepEqual(kinds, ['approval.asked', 'approval.answered', 'approval.used', 'approval.used'])
})

test('an owner who says no to the plan is asked about each call', async () => {
  await using house = await openHouse()
  await house.flows.start(startOf('r', { nodes: [READ, SEND, WIPE] }), never)
  await answer(house, await openQuestion(house.approvals), false)
  const single = await openQuestion(house.approvals)
  assert.equal(single.items[0]?.plan, undefined)
  assert.match(textOf(single), /to: ‹one›/)
  await answer(house, single, false)
  await untilOver(house.flows, 'r')
  assert.deepEqual(house.effects(), [])
})

test('a flow with one question asks it in its own form, with the value', async () => {
  await using house = await openHouse()
  await house.flows.start(startOf('r', { nodes: [READ, SEND] }), never)
  const question = await openQuestion(house.approvals)
  assert.equal(question.items[0]?.plan, undefined)
  assert.match(textOf(question), /to: ‹one›/)
  await answer(house, question, true)
  await untilOver(house.flows, 'r')
  assert.deepEqual(house.effects(), ['send "one"'])
})

test('a list has a limit: one item more than the plan says fails before any call', async () => {
  const each = (max: number) => ({
    ...SEND,
    params: { to: '${item.subject}', text: 'hi' },
    forEach: { items: '${list.items}', max },
  })
  await using house = await openHouse()
  await house.flows.start(startOf('r', { nodes: [READ, each(3), WIPE] }), never)
  const question = await openQuestion(house.approvals)
  assert.match(textOf(question), /tool "send": up to 3 times/)
  await answer(house, question, true)
  await untilOver(house.flows, 'r')
  assert.equal(house.effects().length, 4)
  await house.flows.start(startOf('s', { nodes: [READ, each(2), WIPE] }), never)
  await answer(house, await openQuestion(house.approvals), true)
  assert.equal((await untilOver(house.flows, 's')).state, 'failed')
  assert.equal(house.effects().length, 4)
})

test('an amount without a limit, and a list without an end, stay out of the plan and say why', async () => {
  await using house = await openHouse()
  const sums = { id: 'list', type: 'box.sums', params: {} }
  const many = { ...SEND, id: 'many', forEach: { items: '${list.items}', max: 1000 } }
  const source: FlowSource = {
    kind: 'ir',
    ir: { nodes: [sums, PAY, many, SEND, WIPE] },
  }
  const { bounds } = await house.flows.bounds(source, { inputs: {} }, never)
  assert.deepEqual(
    bounds.open.map(({ node, why }) => [node, why]),
    [
      ['pay', 'nothing limits "amount" before it is known'],
      ['many', 'up to 1000 calls are too many to allow at once'],
    ],
  )
  const text = textOf({ lines: house.approvals.drawPlan(bounds) })
  assert.match(
    text,
    /not part of it: "pay" \(box\.pay\) asks when it comes: nothing limits "amount"/,
  )
  const limited = await house.flows.bounds(source, { inputs: {}, mostAmount: 80 }, never)
  assert.deepEqual(limited.bounds.steps[0]?.args[1]?.bound, { kind: 'amount', max: 80 })
  for (const mostAmount of [Number.POSITIVE_INFINITY, Number.NaN, -1]) {
    const found = await house.flows.bounds(source, { inputs: {}, mostAmount }, never)
    assert.equal(found.bounds.open[0]?.node, 'pay')
  }
})

test('a payment within the limit runs; one above it stops and asks with the value', async () => {
  const sums = { id: 'list', type: 'box.sums', params: {} }
  const nodes = [sums, PAY, WIPE]
  for (const [sum, effects] of [
    [80, ['pay 80', 'wipe "drafts"']],
    [81, []],
  ] as const) {
    await using house = await openHouse(newPlace(), sum)
    await house.flows.start(startOf('r', { nodes }, { mostAmount: 80 }), never)
    const question = await openQuestion(house.approvals)
    assert.match(textOf(question), /limited +"amount": at most 80/)
    await answer(house, question, true)
    if (sum > 80) {
      const single = await openQuestion(house.approvals)
      assert.match(textOf(single), /amount: ‹81›/)
      await answer(house, single, false)
    }
    await untilOver(house.flows, 'r')
    assert.deepEqual(house.effects(), effects)
  }
})

test('the answer outlives its process, and is asked and counted once', async () => {
  const folder = newPlace()
  const gate = Promise.withResolvers<never>()
  const stuck: TestTool = { name: 'stuck', effect: 'remote-read', run: () => gate.promise }
  const nodes = [{ id: 'stuck', type: 'box.stuck', params: {} }, READ, SEND, WIPE]
  const more = [...moreTools(folder), stuck]
  {
    await using house = await openWithTools({ folder }, more)
    await house.flows.start(startOf('r', { nodes }), never)
    await answer(house, await openQuestion(house.approvals), true)
    await untilState(house.flows, 'r', ({ state }) => state === 'running')
    gate.promise.catch(() => undefined)
  }
  const free = [...moreTools(folder), { ...stuck, run: () => ({}) }]
  await using house = await openWithTools({ folder }, free)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  assert.deepEqual(house.effects(), ['send "one"', 'wipe "drafts"'])
  assert.equal(await questionsAsked(house), 1)
})

test('a run whose hour is over asks about each call, and never about its plan again', async () => {
  const folder = newPlace()
  const gate = Promise.withResolvers<never>()
  const stuck: TestTool = { name: 'stuck', effect: 'remote-read', run: () => gate.promise }
  const nodes = [{ id: 'stuck', type: 'box.stuck', params: {} }, READ, SEND, WIPE]
  {
    await using house = await openWithTools({ folder }, [...moreTools(folder), stuck])
    await house.flows.start(startOf('r', { nodes }), never)
    await answer(house, await openQuestion(house.approvals), true)
    await untilState(house.flows, 'r', ({ state }) => state === 'running')
    const step = async () => (await house.flows.show('r')).steps.length > 0
    while (!(await step())) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const free = [...moreTools(folder), { ...stuck, run: () => ({}) }]
  const clock = { wall: 3_700_000, steady: 0 }
  await using house = await openWithTools({ folder, clock }, free)
  const question = await openQuestion(house.approvals)
  assert.equal(question.items[0]?.plan, undefined)
  assert.equal(question.items[0]?.tool.name, 'send')
  await answer(house, question, false)
  await untilOver(house.flows, 'r')
  assert.deepEqual(house.effects(), [])
})

test('an approved plan is of no use to another run of the same flow', async () => {
  await using house = await openHouse()
  await house.flows.start(startOf('r', { nodes: [READ, SEND, WIPE] }), never)
  await answer(house, await openQuestion(house.approvals), true)
  await untilOver(house.flows, 'r')
  await house.flows.start(startOf('again', { nodes: [READ, SEND, WIPE] }), never)
  const [question] = await openQuestions(house.approvals)
  assert.equal(question?.taskId, 'again')
  assert.equal(house.effects().length, 2)
  if (question) await answer(house, question, false)
  await answer(house, await openQuestion(house.approvals), false)
  await untilOver(house.flows, 'again')
})

test('non-interactive, a plan is not asked about and allows nothing', async () => {
  await using house = await openHouse()
  const start = startOf('r', { nodes: [READ, SEND, WIPE] }, { approval: 'never' })
  await house.flows.start(start, never)
  assert.equal((await untilOver(house.flows, 'r')).problem?.rule, 'approval.needed')
  assert.deepEqual([await questionsAsked(house), house.effects()], [0, []])
})
