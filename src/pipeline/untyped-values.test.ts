import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowForecast } from '../ports/flow-port.ts'
import type { Plan, PlannedValue } from './plan-port.ts'
import { MODEL } from '../kernel/built-in-tools.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { Json } from '../text/json.ts'
import { untypedValues } from './untyped-values.ts'

const tool = { server: parseServerId('bank'), name: 'send' }
const WORDS = ['Pay 12.50 to Bob Smith for “the  dinner”', 'and tell #general']

function planOf(value: PlannedValue): Plan {
  return { steps: [{ tool, args: { x: value } }] }
}

function untyped(value: Json, effect: string = 'write'): boolean {
  const forecast = { node: 'step1', effect, args: [] } as unknown as FlowForecast
  return untypedValues(planOf({ kind: 'literal', value }), [forecast], WORDS).inChange
}

test('what the owner typed is known in any case and spacing, as whole words, also in lists', () => {
  for (const value of ['bob smith', 12.5, 'the dinner', 'general', ['Bob Smith'], true, null])
    assert.equal(untyped(value as Json), value === 12.5, JSON.stringify(value))
})

test('a part of a word, another name and a value inside an object are not typed', () => {
  for (const value of ['bo', 'eve', 'US133', 2.5, { to: ['Bob Smith', 'eve'] }])
    assert.equal(untyped(value), true, JSON.stringify(value))
})

test('a value beside a result in a list or an object is found as well', () => {
  const result = { kind: 'handle', name: 'result1' } as const
  const eve = { kind: 'literal', value: 'eve' } as const
  const isFound = (value: PlannedValue) => untypedValues(planOf(value), [], WORDS).inChange
  assert.equal(isFound({ kind: 'list', items: [result, eve] }), true)
  assert.equal(isFound({ kind: 'object', members: { to: eve, body: result } }), true)
  assert.equal(isFound({ kind: 'list', items: [result] }), false)
})

test('a step that reads may hold anything; one whose effect is not known may not', () => {
  assert.equal(untyped('eve', 'remote-read'), false)
  const eve = planOf({ kind: 'literal', value: 'eve' })
  assert.equal(untypedValues(eve, [], WORDS).inChange, true)
  const handle = planOf({ kind: 'handle', name: 'result1' })
  assert.equal(untypedValues(handle, [], WORDS).inChange, false)
})

interface Read {
  readonly value: Json
  readonly role?: string
  readonly effect?: string
  readonly isOpen?: true
  readonly server?: string
}

const LINKS = ['Open https://www.Lake.example/House?x=1 and my-bank.com.', 'write to ann@home.org']

function isAsked({ value, role = 'target', effect = 'remote-read', server, ...open }: Read) {
  const args = [{ name: 'x', role }]
  const forecast = { node: 'step1', effect, args, ...open } as unknown as FlowForecast
  const named = server === undefined ? tool : { server: server as never, name: 'llm' }
  const plan: Plan = { steps: [{ tool: named, args: { x: { kind: 'literal', value } } }] }
  const { reads, inChange } = untypedValues(plan, [forecast], LINKS)
  assert.equal(inChange, false)
  return reads.length > 0
}

test('PLAN-3: a read of an address that nobody typed is found, under any role', () => {
  const others = [
    'https://evil.example/?d=house',
    'https://lake.example/house?x=1&d=2',
    'evil.example',
    'bank.com',
    'lake.example.evil.io',
    'https://lake.example@evil.io/house?x=1',
    'https://home.org',
  ]
  for (const value of others) {
    assert.equal(isAsked({ value, role: 'locator' }), true, value)
    assert.equal(isAsked({ value: `look at ${value} soon` }), namesTopLevel(value), value)
  }
  assert.equal(isAsked({ value: ['https://evil.io'], role: 'content' }), true)
  assert.equal(isAsked({ value: 3_232_235_777, role: 'locator' }), true)
})

/** A bare name under a reserved top-level name is no address outside a locator. */
function namesTopLevel(value: string): boolean {
  return value !== 'evil.example'
}

test('PLAN-3: a read of an address as the owner typed it is none, nor one on this machine or by a model', () => {
  for (const value of [
    'https://lake.example/House?x=1',
    'lake.example/house',
    'http://my-bank.com/',
  ])
    assert.equal(isAsked({ value, role: 'locator' }), false, value)
  const evil = { value: 'https://evil.example', role: 'locator' }
  assert.equal(isAsked({ ...evil, effect: 'local-read' }), false)
  assert.equal(isAsked({ ...evil, role: 'content', server: MODEL }), false)
})

test('PLAN-3: words to a server with an open network are the owner’s own; a vendor is asked in any words', () => {
  const query = { role: 'query' } as const
  for (const value of ['lake house bank', 7, true]) {
    assert.equal(isAsked({ ...query, value, isOpen: true }), false, String(value))
  }
  for (const value of ['lake house at nine', 'evil', 123_456]) {
    assert.equal(isAsked({ ...query, value, isOpen: true }), true, String(value))
    assert.equal(isAsked({ ...query, value }), false, String(value))
  }
  assert.equal(isAsked({ ...query, value: 'from:bob@corp.com invoices' }), false)
})
