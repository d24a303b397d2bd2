/**
 * The labels that the checker foresees hold when a flow runs: random flows of tools and operators are run, value by
 * value, and no argument of any call may have lower integrity, a higher level or more origins than was foreseen.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CheckedNode } from '../../src/flows/check/checked-flow.ts'
import type { ForeseenStep } from '../../src/flows/check/foresee.ts'
import { checkFlow, type CheckReport } from '../../src/flows/check/check-flow.ts'
import { fakeNodes } from '../../src/flows/nodes/fake-nodes.ts'
import { guardHolds } from '../../src/flows/operators/guard-holds.ts'
import { type FlowIr, parseIr } from '../../src/flows/language/ir.ts'
import { applyOperation } from '../../src/flows/operators/operation.ts'
import type { Scope } from '../../src/flows/language/references.ts'
import { argumentsOf, outputsFrom } from '../../src/flows/engine/step-values.ts'
import {
  EMPTY_STORE,
  type FlowStore,
  scopeOf,
  withOutputs,
} from '../../src/flows/engine/store-view.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { Json } from '../../src/text/json.ts'
import { INTEGRITIES, type Label, LEVELS, OWN_WORDS } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { decideFor } from './core-decide.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'

const MAILS = [
  { id: 'm1', received: 3, subject: 'Re: b', to: ['ann'] },
  { id: 'm2', received: 5, subject: 'Re: a' },
  { id: 'm3', received: 1, subject: 'Re: c', flagged: true },
]
const ANSWERS: Readonly<Record<string, Json>> = {
  'mail.list': { items: MAILS, total: 3 },
  'calendar.is_free': { free: true },
  'github.search_code': { items: [{ path: 'x.ts', stars: 4 }], owner: 'eve' },
}

/** A reference into the output of an earlier step; some of the referenced fields do not exist. */
const path = fc
  .tuple(
    fc.nat(9),
    fc.constantFrom('result', 'items', 'result.items', 'result.id', 'result.subject', 'total'),
    fc.constantFrom('', '', '[0]', '[0].id', '[1].subject', '[2].flagged'),
  )
  .map(([step, key, rest]) => `\${n${step}.${key}${rest}}`)
const text = fc.oneof(
  path,
  path.map((one) => `about ${one}`),
  fc.constantFrom('m1', 'monday'),
)
const list = fc.nat(9).map((step) => `\${n${step}.items}`)
const lists = fc.oneof(
  list,
  fc.nat(9).map((step) => `\${n${step}.result}`),
)
const field = fc.constantFrom('id', 'received', 'subject', 'flagged', 'to')

const node = fc.oneof(
  fc.constant({ type: 'mail.list' }),
  fc.constant({ type: 'github.search_code', params: { query: 'x' } }),
  fc.record({
    type: fc.constantFrom('sort', 'argmax', 'argmin', 'unique'),
    params: fc.record({ items: lists, by: field }),
  }),
  fc.record({
    type: fc.constantFrom('first', 'last', 'count', 'join'),
    params: fc.record({ items: lists }),
  }),
  fc.record({
    type: fc.constantFrom('filter', 'select'),
    params: fc.record({
      items: lists,
      where: fc.record({
        field,
        op: fc.constantFrom('gte', 'exists', 'ne'),
        value: fc.oneof(text, fc.nat(4)),
      }),
    }),
  }),
  fc.record({
    type: fc.constant('map'),
    params: fc.record({ items: lists, to: fc.record({ id: fc.constant('${item.id}'), x: text }) }),
  }),
  fc.record({ type: fc.constant('format'), params: fc.record({ template: text }) }),
  fc.record({ type: fc.constant('mail.delete'), params: fc.record({ id: text }) }),
  fc.record({
    type: fc.constant('slack.send_message'),
    params: fc.record({ channel: text, message: text }),
    when: fc.record({ left: text, op: fc.constantFrom('eq', 'ne'), right: text }),
  }),
)

function isWithin(actual: Label, foreseen: Label): boolean {
  return (
    INTEGRITIES.indexOf(actual.integrity) <= INTEGRITIES.indexOf(foreseen.integrity) &&
    LEVELS.indexOf(actual.level) <= LEVELS.indexOf(foreseen.level) &&
    actual.origins.isSubsetOf(foreseen.origins) &&
    // An unbounded external value must not have been foreseen as bounded (a value with few possible contents).
    (actual.integrity !== 'external' || actual.bound !== undefined || foreseen.bound === undefined)
  )
}

/** Runs one step; undefined when a referenced value does not exist. */
function tryStep<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    if (error instanceof CordonError) return undefined
    throw error
  }
}

type Args = Readonly<Record<string, Labelled>>

/** The output of a node as the engine would compute it: a tool's answer, or an operator applied to its items. */
function resultOf(checked: CheckedNode, args: Args, scope: Scope): Labelled | undefined {
  const { operation, known, place } = checked
  const own = { label: OWN_WORDS, place }
  const items = args['items'] ?? new Labelled(null, { label: OWN_WORDS })
  if (operation) return tryStep(() => applyOperation(operation, { items, scope, own }))
  const { facts, answers } = known ?? {}
  assert.ok(facts && answers)
  return new Labelled(ANSWERS[`${facts.id.server}.${facts.id.name}`] ?? {}, answers)
}

/** Asserts that every argument is within its foreseen label; returns the number of arguments compared. */
function compare(step: ForeseenStep | undefined, args: Args): number {
  const given = (step?.args ?? []).filter(({ name }) => args[name])
  for (const { name, label } of given) {
    assert.ok(isWithin(args[name]?.label ?? label, label), `${step?.node}.${name}`)
  }
  return given.length
}

/** Runs all steps whose references exist; returns the number of arguments compared. */
function runAndCompare(ir: FlowIr, report: CheckReport): number {
  const names = new Set(report.nodes.keys())
  let store: FlowStore = EMPTY_STORE
  let compared = 0
  for (const { id, when } of ir.nodes) {
    const checked = report.nodes.get(id) ?? assert.fail()
    const own = { label: OWN_WORDS, place: checked.place }
    const scope = scopeOf(store, names)
    const step = report.steps.find((one) => one.node === id)
    const guard = when && tryStep(() => guardHolds(when, scope, own))
    if (guard?.label.integrity === 'external') assert.equal(step?.control.integrity, 'external')
    const args = tryStep(() => argumentsOf(report.bindings.get(id) ?? [], scope, own))
    const result = args && resultOf(checked, args, scope)
    compared += args ? compare(step, args) : 0
    if (!result) continue
    const outputs = outputsFrom(checked.outputs, result)
    store = withOutputs(store, { node: id, outputs })
  }
  return compared
}

/** Rewrites every reference so that it points to an earlier step. */
function backwards(one: object, at: number): object {
  const text = JSON.stringify(one).replace(/\$\{n(\d)/g, (_, step) => `\${n${Number(step) % at}`)
  return { ...(JSON.parse(text) as object), id: `n${at}` }
}

const RUNS = rounds(3000, 500)

test('no argument of a run is less trusted or more confidential than was foreseen', () => {
  const nodeIndex = fakeNodes()
  let compared = 0
  fc.assert(
    fc.property(fc.array(node, { minLength: 3, maxLength: 10 }), (nodes) => {
      const first = { id: 'n0', type: 'mail.list' }
      const ir = parseIr({ nodes: [first, ...nodes.map((one, at) => backwards(one, at + 1))] })
      compared += runAndCompare(ir, checkFlow({ ir, nodeIndex, predict: decideFor }))
    }),
    { numRuns: RUNS },
  )
  assert.ok(compared > RUNS, String(compared))
})
