/**
 * S4: loops are control. The attacker fills lists, fails on purpose and answers for the model; each attack is tried
 * twice, the second time with the rule taken out, to see that it would get through.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OWNER } from '../../../src/kernel/principal.ts'
import type { Json } from '../../../src/text/json.ts'
import { never, startOf, type TestTool, untilOver, untilState } from '../../flows/engine-house.ts'
import { newPlace } from '../../flows/engine-tools.ts'
import { openQuestions } from '../../policy/approvals-house.ts'
import {
  attack,
  attackWith,
  BILLS,
  EDIT,
  MAILS,
  openScene,
  PAGES,
  PAY,
  withoutControl,
} from './s4-house.ts'

const THIRTY = Array.from({ length: 30 }, (_, at) => ({ id: `b${at}`, text: 'pay me' }))
const FIVE = THIRTY.slice(0, 5)
const each = (items: Json, max = 30) => ({ items, max })
const PAY_EACH = { ...PAY, forEach: each('${bills.items}') }

/** Far more than it takes, also where many tests run side by side. */
const soon = { timeout: 60_000 }

// Concurrent, because each house takes a while to shut down.
describe('S4', { concurrency: true }, () => {
  test('S4: thirty payments over a foreign list do not run in silence', async () => {
    const { effects, rules, reasons } = await attack([BILLS, PAY_EACH], { items: THIRTY })
    assert.deepEqual([effects, rules], [[], ['loop.external']])
    assert.match(reasons[0] ?? '', /^It runs 30 times: words that are not yours decided how often/)
    const open = await attack([BILLS, PAY_EACH, EDIT], { items: THIRTY, without: withoutControl })
    assert.equal(open.effects.length, 31)
    assert.equal(open.control.get('edit')?.bits, 5, 'the count is on the budget of the run')
  })

  test('S4: the owner is asked once about thirty payments, and told the number first', async () => {
    await using house = await openScene({ items: THIRTY })
    await house.flows.start(startOf('r', { nodes: [BILLS, PAY_EACH] }), never)
    const [question, ...others] = await openQuestions(house.approvals)
    assert.ok(question && others.length === 0)
    const lines = question.lines.map((line) => line.map(({ text }) => text).join(''))
    assert.match(lines[0] ?? '', /^30 times: Change something with bank/)
    assert.equal(question.items.length, 30)
    assert.deepEqual(house.effects(), [])
    const allow = question.items.map(({ digest }) => digest)
    await house.approvals.answer({ id: question.id, allow, by: OWNER.id }, 'here')
    assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
    assert.equal(house.effects().length, 30)
  })

  test('S4: a list of fifteen is four bits, and still fifteen payments', async () => {
    const nodes = [BILLS, { ...PAY, forEach: each('${bills.items}', 15) }]
    const scene = { items: THIRTY.slice(0, 15) }
    assert.deepEqual((await attack(nodes, scene)).effects, [])
    const open = await attack(nodes, { ...scene, without: withoutControl })
    assert.equal(open.effects.length, 15)
  })

  test('S4: a foreign list stays foreign when the flow sorts it', async () => {
    const same = { id: 'same', type: 'sort', params: { items: '${bills.items}', by: 'id' } }
    const nodes = [BILLS, same, { ...PAY, forEach: each('${same.result}') }]
    const { effects, rules } = await attack(nodes, { items: FIVE })
    assert.deepEqual([effects, rules], [[], ['loop.external']])
    const open = await attack(nodes, { items: FIVE, without: withoutControl })
    assert.equal(open.effects.length, 5)
  })

  test('S4: a loop over the results of a loop is as foreign as the first list', async () => {
    const read = {
      id: 'read',
      type: 'wiki.page',
      params: { id: 'x' },
      forEach: each('${pages.items}'),
    }
    const nodes = [PAGES, read, { ...EDIT, forEach: each('${read.results}') }]
    const { effects, rules } = await attack(nodes, { items: FIVE })
    assert.deepEqual(rules, ['loop.external'])
    assert.deepEqual(
      effects.filter((one) => one.startsWith('edit')),
      [],
    )
    const open = await attack(nodes, { items: FIVE, without: withoutControl })
    assert.equal(open.effects.filter((one) => one.startsWith('edit')).length, 5)
  })

  test('S4: reads of each item, the owner’s own lists and an empty list ask nothing', async () => {
    const read = {
      id: 'read',
      type: 'wiki.page',
      params: { id: 'x' },
      forEach: each('${pages.items}'),
    }
    const own = { ...PAY, forEach: each([1, 2, 3]) }
    const empty = await attack([BILLS, PAY_EACH], { items: [] })
    assert.deepEqual([empty.state, empty.effects, empty.rules], ['completed', [], []])
    const { effects, rules, state } = await attack([PAGES, read, own], { items: FIVE })
    assert.deepEqual([effects.length, rules, state], [8, [], 'completed'])
  })

  test('S4: the number of posts does not tell a chat how many mails there are', async () => {
    const post = { id: 'post', type: 'chat.post', params: { text: 'ping' } }
    const nodes = [MAILS, { ...post, forEach: each('${mails.items}') }]
    const { effects, rules, reasons } = await attack(nodes, { items: FIVE })
    assert.deepEqual([effects, rules], [[], ['flow']])
    assert.match(
      reasons[0] ?? '',
      /^Whether and how often it runs would tell chat what came from mail/,
    )
    const open = await attack(nodes, { items: FIVE, without: withoutControl })
    assert.equal(open.effects.length, 5)
  })

  test('S4: whether a post is made does not tell a chat what a mail says', async () => {
    const when = { left: '${mails.items[0].text}', op: 'eq', right: 'pay me' }
    const post = { id: 'post', type: 'chat.post', params: { text: 'yes' } }
    const { effects, rules } = await attack([MAILS, { ...post, when }], { items: FIVE })
    assert.deepEqual([effects, rules], [[], ['flow']])
    const open = await attack([MAILS, { ...post, when }], {
      items: FIVE,
      without: withoutControl,
    })
    assert.equal(open.effects.length, 1)
    const own = { ...EDIT, when: { left: '${pages.items[0].text}', op: 'eq', right: 'pay me' } }
    const quiet = await attack([PAGES, own], { items: FIVE })
    assert.deepEqual([quiet.effects.length, quiet.rules], [1, []])
  })

  test('S4: a server that fails on purpose does not repeat a payment', async () => {
    const failing = { id: 'check', type: 'wiki.fails' }
    const ir = {
      nodes: [PAY, failing],
      edges: [
        { from: 'pay', to: 'check' },
        { from: 'check', to: 'pay', action: 'error', max: 3 },
      ],
    }
    const fails = () => ({ kind: 'failed', reason: 'Again' }) as const
    const more = () => [
      { server: 'wiki', name: 'fails', effect: 'remote-read', run: fails } as const,
    ]
    const { effects, rules, reasons } = await attackWith(ir, { more })
    assert.equal(effects.length, 1, 'the plan has one payment')
    assert.deepEqual(rules, ['loop.external'])
    assert.match(reasons[0] ?? '', /^It runs 2 times/)
    const open = await attackWith(ir, { more, without: withoutControl })
    assert.equal(open.effects.length, 4)
  })

  test('S4: a loop counts by the list of the run, not by what was foreseen of it', async () => {
    const system = { integrity: 'system', level: 'internal', origins: new Set(['bank']) } as const
    const more = (): readonly TestTool[] => [
      {
        server: 'bank',
        name: 'dues',
        effect: 'remote-read',
        foreseen: { label: system },
        run: () => FIVE,
      },
    ]
    const dues = { id: 'dues', type: 'bank.dues' }
    const nodes = [dues, { ...PAY, forEach: each('${dues.result}') }, EDIT]
    const { effects, rules } = await attack(nodes, { more })
    assert.deepEqual([effects, rules], [[], ['loop.external']])
    const open = await attack(nodes, { more, without: withoutControl })
    assert.equal(open.effects.length, 6)
    assert.equal(open.control.get('edit')?.bits, 5)
  })

  test('S4: a list of a hundred thousand items ends soon, with a sentence', soon, async () => {
    const items = Array.from({ length: 100_000 }, (_, at) => at)
    const { effects, state, problem } = await attack([BILLS, PAY_EACH], { items })
    assert.deepEqual([state, effects], ['failed', []])
    assert.equal(problem, 'Cannot repeat "pay" for 100000 items: the flow allows 30')
  })

  test('S4: a loop too long for one question is refused, not asked about call by call', async () => {
    const items = Array.from({ length: 1000 }, (_, at) => at)
    await using house = await openScene({ items })
    const nodes = [BILLS, { ...PAY, forEach: each('${bills.items}', 1000) }]
    await house.flows.start(startOf('r', { nodes }), never)
    const { state, problem } = await untilOver(house.flows, 'r')
    assert.equal(state, 'failed')
    assert.match(problem?.message ?? '', /too many calls for a person to read in one question/)
    assert.deepEqual(house.effects(), [])
  })

  test('S4: a run that was killed asks about the items it has not done, and about no other', async () => {
    const folder = newPlace()
    {
      await using house = await openScene({ folder, items: THIRTY })
      await house.flows.start(startOf('r', { nodes: [BILLS, PAY_EACH] }), never)
      await openQuestions(house.approvals)
    }
    await using house = await openScene({ folder, items: [] })
    await untilState(house.flows, 'r', ({ state }) => state === 'asking')
    const [question] = await openQuestions(house.approvals)
    assert.equal(question?.items.length, 30)
    assert.deepEqual(house.effects(), [])
  })
})
