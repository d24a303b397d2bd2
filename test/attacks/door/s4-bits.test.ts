/**
 * S4: guards, booleans and enums that untrusted text decides share one budget of four bits per run, and none of them
 * says what becomes public. Each attack is tried again with the rule taken out.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallRequest } from '../../../src/kernel/tool-call.ts'
import type { Json, JsonObject } from '../../../src/text/json.ts'
import { never, startOf, type TestTool, untilOver, untilState } from '../../flows/engine-house.ts'
import { newPlace } from '../../flows/engine-tools.ts'
import {
  attack,
  attackWith,
  BILLS,
  EDIT,
  extract,
  openScene,
  PAGES,
  PAY,
  withoutControl,
  withoutLabels,
} from './s4-house.ts'

const ITEMS = [{ id: 'p1', text: 'I am the attacker' }]
const BOOL = { type: 'boolean' }
const set = (params: JsonObject, id = 'set'): JsonObject => ({
  id,
  type: 'wiki.set',
  params: { page: 'home', ...params },
})
const look = (properties: JsonObject): readonly Json[] => [PAGES, extract('look', properties)]
/** Five conditions on what the attacker wrote; each decides one fixed edit. */
const guarded = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({
    ...EDIT,
    id: `edit${at}`,
    when: { left: '${pages.items[0].text}', op: 'ne', right: `no ${at}` },
  }))
const oneOf = (size: number): JsonObject => ({
  enum: Array.from({ length: size }, (_, at) => `v${at}`),
})
const sets = (effects: readonly string[]) => effects.filter((one) => one.startsWith('set')).length

// Concurrent, because each house takes a while to shut down.
describe('S4', { concurrency: true }, () => {
  test('S4: a boolean that a model read does not make a page public', async () => {
    const says = { look: { yes: true } }
    for (const params of [{ public: '${look.yes}' }, { options: { isPublic: '${look.yes}' } }]) {
      const nodes = [...look({ yes: BOOL }), set(params)]
      const { effects, rules } = await attack(nodes, { items: ITEMS, says })
      assert.deepEqual([effects, rules], [[], ['target.external']])
      const open = await attack(nodes, { items: ITEMS, says, without: withoutLabels })
      assert.equal(sets(open.effects), 1)
    }
    const plain = await attack([...look({ yes: BOOL }), set({ starred: '${look.yes}' })], {
      items: ITEMS,
      says,
    })
    assert.deepEqual([sets(plain.effects), plain.rules], [1, []])
  })

  test('S4: an enum of a thousand values is no choice among a few', async () => {
    const says = { look: { one: 'v7' } }
    const nodes = (size: number) => [...look({ one: oneOf(size) }), set({ a: '${look.one}' })]
    const { effects, rules } = await attack(nodes(1000), { items: ITEMS, says })
    assert.deepEqual([effects, rules], [[], ['target.external']])
    const open = await attack(nodes(1000), { items: ITEMS, says, without: withoutLabels })
    assert.equal(sets(open.effects), 1)
    const few = await attack(nodes(16), { items: ITEMS, says })
    assert.deepEqual([sets(few.effects), few.rules], [1, []])
  })

  test('S4: five small enums in one call, one object or one text are one large one', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const properties = Object.fromEntries(names.map((name) => [name, oneOf(2)]))
    const says = { look: Object.fromEntries(names.map((name) => [name, 'v1'])) }
    const parts = Object.fromEntries(names.map((name) => [name, `\${look.${name}}`]))
    const text = names.map((name) => `\${look.${name}}`).join('')
    for (const params of [parts, { options: parts }, { a: text }]) {
      const nodes = [...look(properties), set(params)]
      const { effects, rules } = await attack(nodes, { items: ITEMS, says })
      assert.deepEqual([effects, rules], [[], ['target.external']], JSON.stringify(params))
      const open = await attack(nodes, { items: ITEMS, says, without: withoutLabels })
      assert.equal(sets(open.effects), 1)
    }
  })

  test('S4: after four guards the fifth bit asks, be it a guard or a boolean', async () => {
    const says = { look: { yes: true } }
    const five = await attack([PAGES, ...guarded(5)], { items: ITEMS })
    assert.deepEqual([five.effects.length, five.rules], [4, ['plan.external']])
    const flag = set({ starred: '${look.yes}' })
    const nodes = [...look({ yes: BOOL }), ...guarded(4), flag]
    const { effects, rules } = await attack(nodes, { items: ITEMS, says })
    assert.deepEqual([effects.length, sets(effects), rules], [4, 0, ['target.external']])
    const open = await attack(nodes, { items: ITEMS, says, without: withoutControl })
    assert.equal(sets(open.effects), 1)
    const three = await attack([...look({ yes: BOOL }), ...guarded(3), flag], {
      items: ITEMS,
      says,
    })
    assert.deepEqual([three.effects.length, three.rules], [4, []])
  })

  test('S4: the same value costs its bit once, however often it is used', async () => {
    const when = { left: '${look.yes}', op: 'eq', right: true }
    const again = ['s1', 's2', 's3', 's4', 's5'].map((id) => ({
      ...set({ starred: '${look.yes}' }, id),
      when,
    }))
    const says = { look: { yes: true } }
    const { effects, rules, control } = await attack([...look({ yes: BOOL }), ...again], {
      items: ITEMS,
      says,
    })
    assert.deepEqual([sets(effects), rules], [5, []])
    assert.equal(control.get('s5')?.bits, 1)
  })

  test('S4: a run that was killed has spent what it had spent', async () => {
    const folder = newPlace()
    const says = { look: { yes: true } }
    let isHolding = true
    const hold: TestTool = {
      server: 'wiki',
      name: 'hold',
      effect: 'remote-read',
      async run(_call, signal) {
        if (isHolding) await sleep(60_000, undefined, { signal }).catch(() => undefined)
        return null
      },
    }
    const flag = (id: string, field: string) => set({ starred: `\${look.${field}}` }, id)
    const nodes = [
      ...look({ yes: BOOL, no: BOOL }),
      ...guarded(3),
      flag('before', 'yes'),
      { id: 'hold', type: 'wiki.hold' },
      flag('after', 'no'),
    ]
    const scene = {
      folder,
      items: ITEMS,
      says: { look: { yes: true, no: false } },
      more: () => [hold],
    }
    {
      await using house = await openScene(scene)
      await house.flows.start(startOf('r', { nodes }, { approval: 'never' }), never)
      await untilState(house.flows, 'r', () => sets(house.effects()) === 1)
    }
    isHolding = false
    const seen = { verdicts: [], control: new Map() }
    await using house = await openScene({ ...scene, says }, seen)
    await untilOver(house.flows, 'r')
    assert.equal(sets(house.effects()), 1)
    assert.equal(seen.control.get('after').bits, 5)
  })

  test('S4: an attacker’s words that choose among many of the owner’s values choose a target', async () => {
    const people = Array.from({ length: 20 }, (_, at) => ({ id: at, to: `friend ${at}` }))
    const where = [{ field: 'id', op: 'eq', value: '${look.who}' }]
    const choose = { id: 'choose', type: 'select', params: { items: people, where } }
    const nodes = [
      ...look({ who: { type: 'integer' } }),
      choose,
      { ...PAY, params: { to: '${choose.result.to}' } },
    ]
    const scene = { items: ITEMS, says: { look: { who: 7 } } }
    const { effects, rules } = await attack(nodes, scene)
    assert.deepEqual([effects, rules], [[], ['target.external']])
    const open = await attack(nodes, { ...scene, without: withoutLabels })
    assert.deepEqual(open.effects, ['pay {"to":"friend 7"}'])
    const few = { ...choose, params: { items: people.slice(0, 8), where } }
    const among = [...look({ who: { type: 'integer' } }), few, set({ a: '${choose.result.to}' })]
    assert.deepEqual((await attack(among, scene)).rules, [])
  })

  test('S4: guards that put a target together from fixed pieces are asked about after four', async () => {
    const pieces = (count: number): Json => {
      const keys = Array.from({ length: count }, (_, at) => `k${at}`)
      const piece = (id: string, template: string) => ({ id, type: 'format', params: { template } })
      const when = (at: number) => ({ left: '${pages.items[0].text}', op: 'ne', right: `${at}` })
      const written = keys.flatMap((key, at) => [
        piece(`no${at}`, 'no'),
        { ...piece(`yes${at}`, 'yes'), when: when(at) },
        key,
      ])
      const mappings = keys.flatMap((key, at) =>
        [`no${at}`, `yes${at}`].map((id) => [id, { output_mappings: { result: key } }] as const),
      )
      const a = keys.map((key) => `\${${key}}`).join(' ')
      const nodes = [PAGES, ...written.filter((one) => typeof one !== 'string'), set({ a })]
      return { nodes, mappings: Object.fromEntries(mappings) }
    }
    const { effects, rules } = await attackWith(pieces(5), { items: ITEMS })
    assert.deepEqual([effects, rules], [[], ['target.external']])
    const open = await attackWith(pieces(5), { items: ITEMS, without: withoutLabels })
    assert.equal(open.effects.length, 1)
    assert.equal((await attackWith(pieces(4), { items: ITEMS })).effects.length, 1)
  })

  test('S4: a guard counts by what it compares in the run, not by what was foreseen', async () => {
    const system = { integrity: 'system', level: 'internal', origins: new Set(['bank']) } as const
    const more = (): readonly TestTool[] => [
      {
        server: 'bank',
        name: 'state',
        effect: 'remote-read',
        foreseen: { label: system },
        run: () => 'somebody wrote this',
      },
    ]
    const state = { id: 'state', type: 'bank.state' }
    const when = { left: '${state.result}', op: 'ne', right: 'closed' }
    const note = { ...EDIT, params: { text: '${bills.result}' }, when }
    const { effects, rules, control } = await attack([BILLS, state, note], { more })
    assert.deepEqual([effects, rules], [[], ['plan.external']])
    assert.deepEqual([control.get('edit')?.integrity, control.get('edit')?.bits], ['external', 1])
    const without = (request: CallRequest): CallRequest => withoutControl(request)
    const open = await attack([BILLS, state, note], { more, without })
    assert.equal(open.effects.length, 1)
  })
})
