/**
 * A plan as a flow: the same JSON that a saved flow is, so that the same checker and the same engine take it. Values of the
 * plan are data: text that looks like a reference stays text. Pure.
 */
import { MODEL } from '../kernel/built-in-tools.ts'
import type { FlowNodeView } from '../ports/flow-port.ts'
import type { Plan, PlannedStep, PlannedValue, ValuePath } from './plan-port.ts'
import type { PlanStep } from '../ports/turn-port.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { mapRecord } from '../text/map-record.ts'
import { cutText } from '../text/untrusted-text.ts'
import { isOwn, planName } from './built-in-cards.ts'

const LONGEST_PROMPT = 500

/** The id of the node that a step becomes. */
export function nodeOf(step: number): string {
  return `step${step + 1}`
}

/** `views`: the nodes that there are, to know the outputs of each. `words`: the owner's, kept with the flow. */
export function planFlow(plan: Plan, words: string, views: readonly FlowNodeView[]): JsonObject {
  const nodes = plan.steps.map((step, at) => ({
    id: nodeOf(at),
    ...typeOf(step),
    params: paramsOf(step, plan, views),
  }))
  const edges = nodes.slice(1).map(({ id }, at) => ({ from: nodeOf(at), to: id }))
  const outputs = plan.steps.map((step, at) => {
    const whole = isOwn(step.tool) ? textOutput(step, views) : 'result'
    return [nodeOf(at), { source: reference(nodeOf(at), whole === '' ? [] : [whole]) }]
  })
  const inputs = handlesIn(plan).map((name) => [name, { type: 'any', required: true }])
  return {
    metadata: { prompt: cutText(words, LONGEST_PROMPT) },
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
    nodes,
    edges,
  }
}

function typeOf({ tool }: PlannedStep): { readonly type: string; readonly mcp_metadata?: Json } {
  if (isOwn(tool)) return { type: tool.name }
  const { server: server_id, name: tool_name } = tool
  return { type: 'mcp_wrapper', mcp_metadata: { server_id, tool_name } }
}

/** The handles that the plan uses, each once. */
export function handlesIn({ steps }: Plan): readonly string[] {
  const values = steps.flatMap(({ args }) => Object.values(args).flatMap(partsOf))
  return [...new Set(values.flatMap((value) => (value.kind === 'handle' ? [value.name] : [])))]
}

/** The value itself, or all values that it is made of. */
function partsOf(value: PlannedValue): readonly PlannedValue[] {
  if (value.kind === 'list') return value.items.flatMap(partsOf)
  return value.kind === 'object' ? Object.values(value.members).flatMap(partsOf) : [value]
}

/** The plan without one step, and without the steps that need its result. */
export function withoutStep({ steps, ...rest }: Plan, left: number): Plan {
  const gone = new Set([left])
  const needs = ({ args }: PlannedStep): boolean =>
    Object.values(args)
      .flatMap(partsOf)
      .some((value) => value.kind === 'step' && gone.has(value.step))
  for (const [at, step] of steps.entries()) if (needs(step)) gone.add(at)
  const kept = steps.flatMap((_step, at) => (gone.has(at) ? [] : [at]))
  const moved = (value: PlannedValue): PlannedValue =>
    value.kind === 'step' ? { ...value, step: kept.indexOf(value.step) } : value
  return {
    ...rest,
    steps: steps.flatMap(({ tool, args }, at) => {
      const own = mapRecord(args, (value) => mapValue(value, moved))
      return gone.has(at) ? [] : [{ tool, args: own }]
    }),
  }
}

/** Changes the value itself, or each value that it is made of. */
export function mapValue(
  value: PlannedValue,
  change: (part: PlannedValue) => PlannedValue,
): PlannedValue {
  if (value.kind === 'list') {
    return { kind: 'list', items: value.items.map((item) => mapValue(item, change)) }
  }
  if (value.kind !== 'object') return change(value)
  return { kind: 'object', members: mapRecord(value.members, (one) => mapValue(one, change)) }
}

function paramsOf(
  { tool, args }: PlannedStep,
  plan: Plan,
  views: readonly FlowNodeView[],
): JsonObject {
  const params = mapRecord(args, (value) => paramOf(value, plan, views))
  // Left out, the input of a model would be whatever the step before gave.
  return tool.server === MODEL ? { input: null, ...params } : params
}

function paramOf(value: PlannedValue, plan: Plan, views: readonly FlowNodeView[]): Json {
  switch (value.kind) {
    case 'literal':
      return escaped(value.value)
    case 'handle':
      return reference(value.name, value.path ?? [])
    case 'list':
      return value.items.map((item) => paramOf(item, plan, views))
    case 'object':
      return mapRecord(value.members, (member) => paramOf(member, plan, views))
    default:
      return stepReference(value, plan, views)
  }
}

function stepReference(
  { step, path }: Extract<PlannedValue, { readonly kind: 'step' }>,
  { steps }: Plan,
  views: readonly FlowNodeView[],
): string {
  const from = steps[step]
  const isNode = from !== undefined && isOwn(from.tool)
  if (path) return reference(nodeOf(step), isNode ? path : ['result', ...path])
  const output = from ? textOutput(from, views) : 'result'
  return reference(nodeOf(step), output === '' ? [] : [output])
}

function reference(root: string, path: ValuePath | readonly []): string {
  return `\${${root}${showPath(path)}}`
}

/** The output that holds the text of an answer: its only declared text, or else the whole answer. Empty: all outputs. */
function textOutput({ tool }: PlannedStep, views: readonly FlowNodeView[]): string {
  const view = views.find((one) =>
    isOwn(tool) ? one.id === tool.name : one.server === tool.server && one.tool === tool.name,
  )
  const texts = view?.outputs.filter(({ name, type }) => name !== 'result' && type === 'string')
  return (texts?.length === 1 ? texts[0]?.name : undefined) ?? (isOwn(tool) ? '' : 'result')
}

/** `$${` is the text `${`. */
function escaped(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => escaped(item))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escaped(member)]))
}

/** The steps as the owner sees them; `asks` holds the reason of each question by node. */
export function planSteps({ steps }: Plan, asks: ReadonlyMap<string, string>): readonly PlanStep[] {
  return steps.map(({ tool, args }, at) => {
    const shown = Object.entries(args).map(([name, value]) => ({ name, shown: showValue(value) }))
    const question = asks.get(nodeOf(at))
    return { tool, args: shown, ...(question !== undefined && { asks: question }) }
  })
}

/** The plan in lines, numbered as the owner may name its steps. */
export function showPlan(steps: readonly PlanStep[]): string {
  const lines = steps.map(({ tool, args, asks }, at) => {
    const given = args.map(({ name, shown }) => `${name}: ${shown}`)
    const question = asks === undefined ? '' : ' (asks you first)'
    return `  ${at + 1}. ${planName(tool)}${given.length > 0 ? ` ${given.join(', ')}` : ''}${question}`
  })
  return lines.join('\n')
}

const LONGEST_VALUE = 120

export function showValue(value: PlannedValue): string {
  switch (value.kind) {
    case 'literal':
      return cutText(JSON.stringify(value.value), LONGEST_VALUE)
    case 'handle':
      return `$${value.name}${showPath(value.path)}`
    case 'step':
      return value.path
        ? `${showPath(value.path).replace(/^\./, '')} of the result of ${value.step + 1}`
        : `the result of ${value.step + 1}`
    case 'list':
      return `[${value.items.map(showValue).join(', ')}]`
    default: {
      const members = Object.entries(value.members)
      return `{${members.map(([name, one]) => `${name}: ${showValue(one)}`).join(', ')}}`
    }
  }
}

function showPath(path: ValuePath | readonly [] = []): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
}
