/**
 * Reads the answer of a model as a plan, against what the model was offered: a tool, an argument, a step or a handle that
 * there is not makes it no plan. A text is a reference only as a whole: nothing is ever put into a text. Pure.
 */
import { MODEL } from '../kernel/built-in-tools.ts'
import type { Handle, Plan, Planned, PlannedStep, PlannedValue, ValuePath } from './plan-port.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { ToolCard } from '../ports/tool-view.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { planName } from './built-in-cards.ts'

const MOST_STEPS = 8

type Problem = { readonly problem: string }
type Read = { readonly planned: Planned } | Problem

export interface Offered {
  readonly cards: readonly ToolCard[]
  readonly handles: readonly Handle[]
}

/** The problem names no text of the answer but the names it uses. */
export function readPlan(value: Json, offered: Offered): Read {
  const { plan: written, question, more } = (value ?? {}) as JsonObject
  if (!Array.isArray(written)) return { problem: '"plan" is not a list' }
  if (written.length === 0 && typeof question === 'string' && question.trim() !== '') {
    const text = question.trim()
    return { planned: { kind: 'question', text, choices: [], draft: null, near: [] } }
  }
  const read = readSteps(written, offered)
  if ('problem' in read) return read
  const { steps } = read
  if (steps.length === 0) return { planned: { kind: 'plan', plan: { steps } } }
  const plan: Plan = { steps, ...(more === true && { needsMore: true }) }
  return { planned: { kind: 'plan', plan, canGoOn: true } }
}

function readSteps(
  written: readonly Json[],
  offered: Offered,
): { readonly steps: readonly PlannedStep[] } | Problem {
  if (written.length > MOST_STEPS) return { problem: `"plan" has more than ${MOST_STEPS} steps` }
  const steps: PlannedStep[] = []
  for (const [at, step] of written.entries()) {
    const read = readStep((step ?? {}) as JsonObject, at, offered)
    if ('problem' in read) return read
    steps.push(read.step)
  }
  return { steps }
}

function readStep(
  { tool, args: written }: JsonObject,
  at: number,
  { cards, handles }: Offered,
): { readonly step: PlannedStep } | Problem {
  const card = cards.find(({ id }) => planName(id) === tool || showTool(id) === tool)
  if (!card) return { problem: `step ${at + 1} names a tool that is not in the list` }
  const args = (written ?? {}) as JsonObject
  const known = new Set(card.args.map(({ name }) => name))
  if (Object.keys(args).some((name) => !known.has(name))) {
    return { problem: `step ${at + 1} has an argument that ${planName(card.id)} does not have` }
  }
  const values = Object.entries(args).map(
    ([name, value]) => [name, valueFrom(value, { at, handles })] as const,
  )
  const read = values.flatMap(([name, one]) => (one ? [[name, one] as const] : []))
  if (read.length < values.length) {
    return { problem: `step ${at + 1} uses a result or a handle that there is not` }
  }
  const missing = card.args.find(({ name, isRequired }) => isRequired && !Object.hasOwn(args, name))
  if (missing) return { problem: `step ${at + 1} lacks the argument ${missing.name}` }
  const step = { tool: card.id, args: Object.fromEntries(read) }
  return isTold(step)
    ? { step }
    : { problem: `step ${at + 1} lets a result say what to do: "prompt" has to be a text` }
}

/** The words that tell a model what to do are the planner's own; others' texts are what it works on. */
function isTold({ tool, args }: PlannedStep): boolean {
  const { prompt } = args
  if (tool.server !== MODEL || !prompt) return true
  return prompt.kind === 'literal' && typeof prompt.value === 'string'
}

interface Spot {
  /** The position of the step. */
  readonly at: number
  readonly handles: readonly Handle[]
}

/** Undefined if it names a step or a handle that there is not. */
function valueFrom(value: Json, spot: Spot): PlannedValue | undefined {
  if (typeof value === 'string') return referenceFrom(value, spot)
  if (typeof value !== 'object' || value === null) return { kind: 'literal', value }
  const isList = Array.isArray(value)
  const names = Object.keys(value)
  const members = Object.values(value as JsonObject).map((member) => valueFrom(member, spot))
  const known = members.filter((member) => member !== undefined)
  if (known.length < members.length) return undefined
  if (known.every(({ kind }) => kind === 'literal')) return { kind: 'literal', value }
  if (isList) return { kind: 'list', items: known }
  const named = known.map((member, index) => [names[index] ?? '', member] as const)
  return { kind: 'object', members: Object.fromEntries(named) }
}

/** `$step1`, `$result3.items[0].id`. */
const REFERENCE = /^\$([a-z]+\d+)((?:\.[A-Za-z0-9_-]{1,64}|\[\d{1,6}\]){0,12})$/
const PART = /\[(\d+)\]|[A-Za-z0-9_-]+/g

function referenceFrom(text: string, { at, handles }: Spot): PlannedValue | undefined {
  const [, name, rest = ''] = REFERENCE.exec(text) ?? []
  if (name === undefined) return { kind: 'literal', value: text }
  const path = pathFrom(rest)
  const step = /^step(\d+)$/.exec(name)?.[1]
  if (step === undefined) {
    const isThere = handles.some((handle) => handle.name === name)
    return isThere ? { kind: 'handle', name, ...path } : undefined
  }
  const before = Number(step) - 1
  return before >= 0 && before < at ? { kind: 'step', step: before, ...path } : undefined
}

function pathFrom(text: string): { readonly path?: ValuePath } {
  const [first, ...rest] = [...text.matchAll(PART)].map(([word, index]) =>
    index === undefined ? word : Number(index),
  )
  return first === undefined ? {} : { path: [first, ...rest] }
}
