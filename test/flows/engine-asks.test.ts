/** A run that asks about every change: no grant, no approved plan and no restart takes the place of the question. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { openQuestion } from '../policy/approvals-house.ts'
import {
  addEffect,
  type EngineHouse,
  never,
  startOf,
  type TestTool,
  untilOver,
  untilState,
} from './engine-house.ts'
import { newPlace, NOTE, openWithTools, READ } from './engine-tools.ts'

const WIPE = { id: 'wipe', type: 'box.wipe', params: { what: 'drafts' } }
const TOLD = { id: 'told', type: 'box.note', params: { text: '${list.items[0].subject}' } }

function wipe(folder: string): TestTool {
  return {
    name: 'wipe',
    effect: 'destructive',
    args: { what: 'target' },
    run: ({ args }) => {
      addEffect(folder, `wipe ${JSON.stringify(args['what'])}`)
      return {}
    },
  }
}

async function answer(house: EngineHouse, { id, items }: ShownApproval, grant?: 'tool') {
  const allow = items.map(({ digest }) => digest.slice(0, 32))
  const given = { id, allow, by: OWNER.id, ...(grant && { grant }) }
  return await house.approvals.answer(given, 'terminal')
}

test('PLAN-2: a grant, which allows the call in any other run, does not answer for it', async () => {
  const folder = newPlace()
  await using house = await openWithTools({ folder }, [wipe(folder)])
  await house.flows.start(startOf('first', { nodes: [WIPE] }), never)
  await answer(house, await openQuestion(house.approvals), 'tool')
  await untilOver(house.flows, 'first')
  await house.flows.start(startOf('granted', { nodes: [WIPE] }), never)
  assert.equal((await untilOver(house.flows, 'granted')).state, 'completed')
  await house.flows.start(startOf('r', { nodes: [WIPE] }, { asksForWrites: true }), never)
  const asked = await openQuestion(house.approvals)
  assert.deepEqual(
    asked.items.map(({ rule, offers }) => [rule, offers]),
    [['plan.writes', []]],
  )
  assert.equal(house.effects().length, 2)
  await answer(house, asked)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  assert.equal(house.effects().length, 3)
})

test('PLAN-2: a write that would run unasked is asked about, call by call and not as a plan', async () => {
  const folder = newPlace()
  await using house = await openWithTools({ folder }, [wipe(folder)])
  const nodes = [READ, TOLD, WIPE]
  await house.flows.start(startOf('r', { nodes }, { asksForWrites: true }), never)
  for (const effects of [['note "one"'], ['note "one"', 'wipe "drafts"']]) {
    const asked = await openQuestion(house.approvals)
    assert.equal(asked.items.length, 1)
    assert.equal(asked.items[0]?.plan, undefined)
    await answer(house, asked)
    await untilState(house.flows, 'r', () => house.effects().length === effects.length)
    assert.deepEqual(house.effects(), effects)
  }
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
})

test('PLAN-3: a read that is named is asked about, and another one of the same run is not', async () => {
  const folder = newPlace()
  await using house = await openWithTools({ folder })
  const nodes = [READ, { ...READ, id: 'again' }]
  await house.flows.start(startOf('r', { nodes }, { asksForReads: ['again'] }), never)
  const asked = await openQuestion(house.approvals)
  assert.deepEqual(
    asked.items.map(({ rule, offers, plan }) => [rule, offers, plan]),
    [['plan.reads', [], undefined]],
  )
  assert.equal((await house.flows.show('r')).stepsDone, 1)
  await answer(house, asked)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
})

test('PLAN-2: a run that another process takes up still asks', async () => {
  const folder = newPlace()
  let isHolding = true
  const hold: TestTool = {
    name: 'hold',
    effect: 'remote-read',
    async run(_call, signal) {
      if (isHolding) await sleep(60_000, undefined, { signal }).catch(() => undefined)
      return null
    },
  }
  const nodes = [{ id: 'list', type: 'box.list' }, { id: 'hold', type: 'box.hold' }, NOTE]
  {
    await using house = await openWithTools({ folder }, [hold])
    await house.flows.start(startOf('r', { nodes }, { asksForWrites: true }), never)
    await untilState(house.flows, 'r', ({ stepsDone }) => stepsDone === 1)
  }
  isHolding = false
  await using house = await openWithTools({ folder }, [hold])
  const asked = await openQuestion(house.approvals)
  assert.equal(asked.items[0]?.rule, 'plan.writes')
  assert.deepEqual(house.effects(), [])
})
