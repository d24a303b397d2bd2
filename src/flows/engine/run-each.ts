/**
 * Repeats a node for each item of a list: `max` items at most, `max_concurrent` of them at once. The owner is asked
 * about all calls in one question, before the first call is made.
 */
import { askFirst } from '../../kernel/call-tool.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Json } from '../../text/json.ts'
import { joinLabels, type Label } from '../../labels/label.ts'
import { toldLabel } from '../../labels/told-label.ts'
import { Labelled } from '../../labels/labelled.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { flowError } from '../flow-errors.ts'
import type { ForEach } from '../language/ir.ts'
import { withItem } from '../operators/operation.ts'
import { count, countLabel, itemsOf } from '../operators/operators.ts'
import { createMeter, shapeOf } from '../operators/peek.ts'
import { findReferences, resolve, type Scope } from '../language/references.ts'
import { type CallStep, callStep, requestFor, type StepEnd } from './call-step.ts'
import { forEachItem } from './for-each-item.ts'
import { isOver, nameOf, type StepPlace } from './journal.ts'
import { ownWords, type RunContext, type Turn } from './run-context.ts'
import { ItemEnded, StepFailed } from './run-ends.ts'
import { countLoop, loopOver } from './control-in.ts'
import { asDeclared } from './step-values.ts'
import { argumentsFor, countIn, operate, versionIn } from './step-input.ts'

export async function runEach(context: RunContext, turn: Turn, scope: Scope): Promise<StepEnd> {
  const { node, planned, round } = turn
  const each = node.forEach as ForEach
  const own = ownWords(context, `${planned.place}.forEach.items`)
  const list = asDeclared(resolve(each.items, scope, own), 'array')
  const items = fewItems(list, node.id, each.max)
  const looped: Turn = { ...turn, loop: loopOver(list, items.length) }
  const scopes = items.map((item) => withItem(scope, each.as, item))
  if (!planned.tool) {
    const ends = await operateOnEach(context, turn, scopes)
    // An item fails by what is in it, so a gap is as confidential as the items are.
    const judged = ends.some(isError) ? list.raised(list.label) : list
    return { kind: 'value', value: together(judged, planned.type, ends) }
  }
  const steps = scopes.map((one, item) =>
    stepFor(context, looped, one, { node: node.id, round, item }),
  )
  countEach(context, looped, steps, scopes)
  const begun = begunBefore(context, steps, each)
  if (!begun) await askTogether(context, steps)
  const atOnce = each.parallel ? each.max_concurrent : 1
  const now = begun ?? steps
  try {
    const ends = await forEachItem(now, begun?.length ?? atOnce, (step) =>
      runItem(context, step, each),
    )
    const told = await toldBy(context, planned.tool.server, now)
    return { kind: 'value', value: together(list, planned.tool.server, ends, told) }
  } catch (error) {
    if (error instanceof ItemEnded) return error.end
    throw error
  }
}

/** Looks at the size first: a list of a million items costs nothing. */
function fewItems(list: Labelled, node: string, max: number): readonly Labelled[] {
  const size = list.size ?? 0
  if (size > max && shapeOf(list) === 'list') throw tooMany(node, size, max)
  return itemsOf(list)
}

/** Counts what untrusted data decides in all items, before the first call: the order of items then plays no part. */
function countEach(
  context: RunContext,
  turn: Turn,
  steps: readonly (CallStep | ItemError)[],
  scopes: readonly Scope[],
): void {
  const each = turn.node.forEach as ForEach
  countLoop(context.progress.budget, turn, each, versionOf(context, turn, each))
  for (const { args, place } of steps.filter(isStep)) {
    const { item = 0 } = place
    const scope = scopes[item]
    if (scope) countIn(context, { turn, scope, args, item })
  }
}

/** Distinguishes lists that are written the same but made in different rounds. */
function versionOf(context: RunContext, { node, round }: Turn, { items }: ForEach): string {
  const version = versionIn(context, nameOf({ node: node.id, round }))
  return findReferences(items, '')
    .map(({ path }) => (path ? version(path[0]) : ''))
    .join(' ')
}

async function operateOnEach(
  context: RunContext,
  turn: Turn,
  scopes: readonly Scope[],
): Promise<readonly (Labelled | ItemError)[]> {
  const measured = createMeter()
  const ends: (Labelled | ItemError)[] = []
  for (const [index, scope] of scopes.entries()) {
    const end = itemEnd(turn, index, () =>
      operate(context, turn, argumentsFor(context, turn, scope), scope),
    )
    ends.push(isError(end) ? end : measured(end))
    await context.deps.yieldOften()
  }
  return ends
}

/** With `error_handling: continue` an error of one item is no error of the step. */
function itemEnd<T>({ node }: Turn, index: number, work: () => T): T | ItemError {
  try {
    return work()
  } catch (error) {
    const isCounted = node.forEach?.error_handling === 'continue'
    if (!(error instanceof CordonError) || !isCounted) throw error
    return { index, error: error.message }
  }
}

function isError(end: Labelled | ItemError): end is ItemError {
  return !(end instanceof Labelled)
}

interface ItemError {
  readonly index: number
  readonly error: string
}

function stepFor(
  context: RunContext,
  turn: Turn,
  scope: Scope,
  place: Required<StepPlace>,
): CallStep | ItemError {
  return itemEnd(turn, place.item, () => {
    return { place, turn, args: argumentsFor(context, turn, scope) }
  })
}

function isStep(one: CallStep | ItemError): one is CallStep {
  return 'turn' in one
}

/** If an item on record has ended the node: the items that had begun by then. No other item may begin. */
function begunBefore(
  { journal }: RunContext,
  steps: readonly (CallStep | ItemError)[],
  { error_handling }: ForEach,
): readonly CallStep[] | undefined {
  if (error_handling === 'continue') return undefined
  const calls = steps.filter(isStep)
  if (!calls.some(({ place }) => isOver(journal.past(place)))) return undefined
  return calls.filter(({ place }) => journal.past(place).tries.length > 0)
}

async function runItem(
  context: RunContext,
  step: CallStep | ItemError,
  { error_handling }: ForEach,
): Promise<Labelled | ItemError> {
  if (!isStep(step)) return step
  const index = step.place.item ?? 0
  try {
    await context.deps.yieldOften()
    const end = await callStep(context, step)
    if (end.kind === 'value') return end.value
    if (error_handling !== 'continue') throw new ItemEnded(end)
    return { index, error: end.message }
  } catch (error) {
    if (!(error instanceof StepFailed) || error_handling !== 'continue') throw error
    return { index, error: error.message }
  }
}

/** Asks the owner about the items that have nothing on record yet. */
async function askTogether(
  context: RunContext,
  steps: readonly (CallStep | ItemError)[],
): Promise<void> {
  const { journal, door, run } = context
  const open = steps.filter(isStep).filter(({ place }) => journal.past(place).tries.length === 0)
  if (open.length < 2) return
  const requests = open.map((step) => requestFor(context, step, 0))
  await askFirst(door, requests, run.signal)
}

/** The text of an error may repeat the arguments, and what the server was told before. */
async function toldBy(
  { door }: RunContext,
  server: ServerId,
  steps: readonly (CallStep | ItemError)[],
): Promise<readonly Label[]> {
  const args = steps.filter(isStep).flatMap((step) => Object.values(step.args))
  const told = toldLabel(args.map(({ label }) => label))
  return [told, await door.told?.of(server)].filter((one) => one !== undefined)
}

/** A failed item is null in `results`. Which items failed is labelled as the server's: the server decided that. */
function together(
  list: Labelled,
  server: string,
  ends: readonly (Labelled | ItemError)[],
  told: readonly Label[] = [],
): Labelled {
  const { label } = list.tree
  const said: Label = { integrity: 'external', level: 'sensitive', origins: new Set([server]) }
  const theirs = told.reduce(joinLabels, joinLabels(label, said))
  const errors = ends.filter(isError)
  const number = (value: number): Labelled => new Labelled(value, { label: countLabel(theirs) })
  const gap = new Labelled(null, { label: { ...theirs, level: label.level } })
  const results = ends.map((end) => (end instanceof Labelled ? end : gap))
  return Labelled.object(
    {
      results: Labelled.list(results, label),
      count: count(list),
      success_count: number(ends.length - errors.length),
      error_count: number(errors.length),
      errors: new Labelled(errors as unknown as Json, { label: theirs }),
    },
    label,
  )
}

function tooMany(node: string, size: number, max: number): Error {
  return flowError(
    'flows.too-many-items',
    `Cannot repeat ${JSON.stringify(node)} for ${size} items: the flow allows ${max}`,
    `Set \`max\` of its forEach to ${size} or more, or take fewer items with \`filter\``,
  )
}
