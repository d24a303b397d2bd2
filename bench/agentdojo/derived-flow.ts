/**
 * The flow of a task of which nobody wrote one, made from its recorded calls and the annotated sources of their
 * arguments: words of the owner are literals, a field of an earlier answer is a reference, everything else is read by a
 * model out of all earlier answers.
 */
import { type FlowIr, parseIr } from '../../src/flows/language/ir.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { FieldManifest } from './field-manifest.ts'
import { type PlanStep, planFor, type Source, type TaskPlan } from './plan.ts'
import type { Suite, UserTask } from './suite.ts'

/** Undefined for a task whose instructions stand in data, or in text that the owner pasted. */
export function derivedFlow(
  suite: Suite,
  manifest: FieldManifest,
  task: UserTask,
): FlowIr | undefined {
  const plan = planFor(suite, manifest, task)
  const isForeign = plan.steps.some(
    (step) => step.isReplanned || Object.values(step.args).some(isPasted),
  )
  if (isForeign) return undefined
  const nodes = plan.steps.flatMap((step) => nodesFor(suite, plan, step))
  const metadata = { name: suite.suite, description: 'Made from recorded calls' }
  return parseIr({ ir_version: '1.0.0', metadata, nodes })
}

function isPasted(source: Source): boolean {
  if (source.from === 'list') return source.items.some(isPasted)
  if (source.from === 'object') return Object.values(source.members).some(isPasted)
  return source.from === 'paste' || source.from === 'attacker'
}

/** The step itself, after the nodes in which a model reads its arguments and its condition. */
function nodesFor({ suite }: Suite, plan: TaskPlan, step: PlanStep): readonly JsonObject[] {
  const fields: Record<string, JsonObject> = {}
  const reader = `read-${step.at}`
  const refer = (source: Source, name: string): Json => {
    if (source.from === 'list') return source.items.map((one, at) => refer(one, `${name}_${at}`))
    if (source.from === 'object') {
      const members = Object.entries(source.members)
      return Object.fromEntries(members.map(([key, one]) => [key, refer(one, `${name}_${key}`)]))
    }
    const path = source.from === 'answer' ? referenceTo(source) : undefined
    if (path !== undefined) return path
    if (source.from !== 'model' && source.from !== 'answer') return source.value
    fields[name] = schemaFor(source)
    return `\${${reader}.${name}}`
  }
  const args = Object.entries(step.args).map(([name, one]) => [name, refer(one, name)] as const)
  const isGuarded = step.isGuarded && plan.steps.some((one) => one.at < step.at && one.isRead)
  if (isGuarded) fields['go'] = { type: 'boolean' }
  const read = Object.keys(fields).length > 0 ? [readerFor(plan, step, reader, fields)] : []
  return [
    ...read,
    {
      id: `step-${step.at}`,
      type: `mcp-${suite}-${step.tool}`,
      params: Object.fromEntries(args),
      ...(isGuarded && { when: `\${${reader}.go}` }),
    },
  ]
}

function readerFor(
  plan: TaskPlan,
  { at }: PlanStep,
  id: string,
  properties: Readonly<Record<string, JsonObject>>,
): JsonObject {
  const earlier = plan.steps.filter((one) => one.at < at).map((one) => `\${step-${one.at}.result}`)
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  const instruction = `The arguments of step ${at}.`
  return { id, type: 'extract', params: { instruction, input: earlier, schema } }
}

type ModelSource = Extract<Source, { readonly from: 'model' | 'answer' }>

/** An answer is read by a model where no reference can be written to its place. */
function schemaFor(source: ModelSource): JsonObject {
  if (source.from === 'model' && source.kind === 'Qe' && source.options) {
    return { enum: source.options }
  }
  return typeFor(source.value)
}

function typeFor(value: Json): JsonObject {
  if (Array.isArray(value)) {
    return { type: 'array', items: typeFor((value as readonly Json[])[0] ?? '') }
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, one]) => [name, typeFor(one)] as const)
    return { type: 'object', properties: Object.fromEntries(members) }
  }
  return { type: value === null ? 'null' : typeof value }
}

const NAME = /^[\w-]+$/

function referenceTo({
  step,
  path,
}: Extract<Source, { readonly from: 'answer' }>): string | undefined {
  const isNamed = path.every((one) => typeof one === 'number' || NAME.test(one))
  if (!isNamed) return undefined
  const inside = path.map((one) => (typeof one === 'number' ? `[${one}]` : `.${one}`)).join('')
  return `\${step-${step}.result${inside}}`
}
