/**
 * A small interpreter of flows, written from docs/flows.md and docs/flow.schema.json and not from the engine, so that a
 * mistake in one of them is not made in the other. It keeps no record, asks nobody and waits for nothing.
 *
 * A node has its turn once every edge into it that leads forward is decided and one of them was taken. An edge is taken
 * where its node ended with the edge's action. An edge that leads back is taken as long as its `max` allows; then all
 * that comes after its target is decided anew. A node that is skipped ends like one that was done.
 */
import type { Json, JsonObject } from '../../src/text/json.ts'
import { compares, SMALL_OPERATORS, StepEnd, textOf } from './small-operators.ts'

export interface SmallEdge {
  readonly from: string
  readonly to: string
  readonly action?: string
  readonly max?: number
}

export interface SmallNode {
  readonly id: string
  readonly type: string
  readonly params: JsonObject
  readonly execution?: { readonly max_retries?: number }
  readonly when?: { readonly left: Json; readonly op: string; readonly right: Json }
  readonly forEach?: {
    readonly items: Json
    readonly as: string
    readonly max: number
    readonly error_handling: 'fail_fast' | 'continue'
    readonly parallel: boolean
  }
}

export interface SmallFlow {
  readonly nodes: readonly SmallNode[]
  readonly edges?: readonly SmallEdge[]
  readonly inputs: Readonly<Record<string, { readonly type: string; readonly default?: Json }>>
  readonly outputs: Readonly<Record<string, { readonly source: string }>>
  readonly mappings: Readonly<
    Record<
      string,
      {
        readonly input_mappings?: Readonly<Record<string, string>>
        readonly output_mappings?: Readonly<Record<string, string>>
      }
    >
  >
}

/** The answer of the tool to these arguments. Throws `StepEnd` if it fails. */
export type SmallTool = (args: JsonObject) => Json

export type SmallEnd =
  | { readonly kind: 'completed'; readonly outputs: Readonly<Record<string, Json>> }
  | { readonly kind: 'failed'; readonly node: string }

/** A step that needs what no step gave ends with `error`; an output that needs it is null. */
class Missing extends StepEnd {
  constructor() {
    super('error')
  }
}

/** Busy, late, or not to be reached. */
const WORTH_A_RETRY = new Set(['rate_limited', 'timeout', 'server_error', 'network_error'])

type Scope = Readonly<Record<string, Json | undefined>>

export function runSmall(flow: SmallFlow, inputs: JsonObject, tool: SmallTool): SmallEnd {
  const defaults = Object.entries(flow.inputs).map(([name, one]) => [name, one.default] as const)
  const run = { flow, tool, given: { ...Object.fromEntries(defaults), ...inputs }, values: {} }
  return new SmallRun(run).toEnd()
}

interface Running {
  readonly flow: SmallFlow
  readonly tool: SmallTool
  readonly given: Scope
  /** By node its outputs, and by key what was stored. */
  readonly values: Record<string, Json>
}

class SmallRun {
  readonly #run: Running
  readonly #edges: readonly SmallEdge[]
  readonly #order: readonly string[]
  readonly #open: Set<string>
  readonly #again = new Set<string>()
  readonly #decided = new Map<SmallEdge, boolean>()
  readonly #used = new Map<SmallEdge, number>()

  constructor(run: Running) {
    const { nodes, edges } = run.flow
    this.#run = run
    this.#order = nodes.map(({ id }) => id)
    this.#open = new Set(this.#order)
    this.#edges =
      edges ?? nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? '', to: id }))
  }

  toEnd(): SmallEnd {
    for (;;) {
      const id = this.#order.find((one) => this.#open.has(one) && this.#isReady(one))
      if (id === undefined) return { kind: 'completed', outputs: outputsOf(this.#run) }
      this.#open.delete(id)
      const hasTurn = this.#again.delete(id) || this.#isReached(id)
      const action = hasTurn ? endOf(this.#run, id) : undefined
      if (action === NO_WAY || !this.#leave(id, action)) return { kind: 'failed', node: id }
    }
  }

  /** By the order in which the nodes are written. */
  #isBack({ from, to }: SmallEdge): boolean {
    return this.#order.indexOf(to) <= this.#order.indexOf(from)
  }

  #into(id: string): readonly SmallEdge[] {
    return this.#edges.filter((edge) => edge.to === id && !this.#isBack(edge))
  }

  #isReady(id: string): boolean {
    return this.#again.has(id) || this.#into(id).every((edge) => this.#decided.has(edge))
  }

  #isReached(id: string): boolean {
    const into = this.#into(id)
    return into.length === 0 || into.some((edge) => this.#decided.get(edge))
  }

  /** False if the node failed and no edge is for that, or only one that leads back and was taken often enough. */
  #leave(id: string, action: string | undefined): boolean {
    const out = this.#edges.filter(({ from }) => from === id)
    const taken = out.filter((edge) => {
      const isLeft = !this.#isBack(edge) || (this.#used.get(edge) ?? 0) < (edge.max ?? 0)
      return (edge.action ?? 'default') === action && isLeft
    })
    for (const edge of out) this.#decided.set(edge, taken.includes(edge))
    for (const edge of taken.filter((one) => this.#isBack(one))) {
      this.#used.set(edge, (this.#used.get(edge) ?? 0) + 1)
      this.#reset(edge.to)
      this.#again.add(edge.to)
    }
    const isEnd = action === 'default' && !out.some((edge) => (edge.action ?? 'default') === action)
    return action === undefined || isEnd || taken.length > 0
  }

  #reset(id: string): void {
    this.#open.add(id)
    for (const edge of this.#edges) {
      if (edge.from !== id || this.#isBack(edge) || !this.#decided.has(edge)) continue
      this.#decided.delete(edge)
      this.#reset(edge.to)
    }
  }
}

/** The run fails, whatever ways lead on. */
const NO_WAY = '(none)'

/** The action that the node ended with. */
function endOf(run: Running, id: string): string {
  const node = run.flow.nodes.find((one) => one.id === id) as SmallNode
  const scope = { ...run.given, ...run.values }
  try {
    const guard = node.when ? guardOf(node.when, scope) : true
    if (guard !== true) {
      delete run.values[id]
      return guard === undefined ? NO_WAY : 'default'
    }
    const outputs: JsonObject = node.forEach
      ? each(run, node, scope)
      : { result: valueOf(run, node, scope) }
    run.values[id] = outputs
    const { output_mappings = {} } = run.flow.mappings[id] ?? {}
    for (const [name, key] of Object.entries(output_mappings)) {
      run.values[key] = outputs[name] as Json
    }
    return 'default'
  } catch (error) {
    if (!(error instanceof StepEnd)) throw error
    delete run.values[id]
    return error.action
  }
}

/** Undefined if it refers to what no step gave. */
function guardOf(
  { left, op, right }: NonNullable<SmallNode['when']>,
  scope: Scope,
): boolean | undefined {
  try {
    return compares(filled(left, scope), op, filled(right, scope))
  } catch (error) {
    if (error instanceof Missing) return undefined
    throw error
  }
}

function each(run: Running, node: SmallNode, scope: Scope): { readonly results: readonly Json[] } {
  const { items, as, max, error_handling } = node.forEach as NonNullable<SmallNode['forEach']>
  const list = filled(items, scope)
  if (!Array.isArray(list) || list.length > max) throw new StepEnd('error')
  const results = list.flatMap((item: Json) => {
    try {
      return [valueOf(run, node, { ...scope, [as]: item })]
    } catch (error) {
      if (error instanceof StepEnd && error_handling === 'continue') return [null]
      throw error
    }
  })
  return { results }
}

function valueOf(run: Running, node: SmallNode, scope: Scope): Json {
  const { type, params, execution = {}, id } = node
  const args = filled(argsOf(run, id, params), scope) as JsonObject
  if (type === 'format') return args['template'] as Json
  if (type === 'map') return mapped(params, args, scope)
  const operator = SMALL_OPERATORS[type]
  if (operator) return operator(args['items'] as Json, args)
  return called(run.tool, args, execution.max_retries)
}

/** Only a rate limit is tried again where the flow does not say how often. */
function called(tool: SmallTool, args: JsonObject, most: number | undefined): Json {
  for (let retry = 0; ; retry += 1) {
    try {
      return tool(args)
    } catch (error) {
      if (!(error instanceof StepEnd) || !WORTH_A_RETRY.has(error.action)) throw error
      if (retry >= (most ?? (error.action === 'rate_limited' ? 3 : 0))) throw error
    }
  }
}

/** With the arguments that are read from the store under other names. */
function argsOf({ flow }: Running, id: string, params: JsonObject): JsonObject {
  const { to: _each, ...rest } = params
  const { input_mappings = {} } = flow.mappings[id] ?? {}
  const mapped = Object.entries(input_mappings).map(([name, key]) => [name, `\${${key}}`] as const)
  return { ...Object.fromEntries(mapped), ...rest }
}

function mapped({ to = null }: JsonObject, { items, as }: JsonObject, scope: Scope): Json {
  if (!Array.isArray(items)) throw new StepEnd('error')
  return items.map((item: Json) =>
    filled(to, { ...scope, [typeof as === 'string' ? as : 'item']: item }),
  )
}

function outputsOf({ flow, given, values }: Running): Readonly<Record<string, Json>> {
  const scope = { ...given, ...values }
  return Object.fromEntries(
    Object.entries(flow.outputs).flatMap(([name, { source }]) => {
      try {
        return [[name, filled(source, scope)] as const]
      } catch (error) {
        if (error instanceof Missing) return [[name, null] as const]
        throw error
      }
    }),
  )
}

const REFERENCE = /\$\{([^}]*)\}/g

/** A single reference gives its value with its type; inside other text the value becomes text. */
function filled(value: Json, scope: Scope): Json {
  if (Array.isArray(value)) return value.map((one: Json) => filled(one, scope))
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, one]) => [key, filled(one, scope)] as const)
    return Object.fromEntries(members)
  }
  if (typeof value !== 'string') return value
  const [, whole] = /^\$\{([^}]*)\}$/.exec(value) ?? []
  if (whole !== undefined) return referred(whole, scope)
  return value.replace(REFERENCE, (_all, path: string) => textOf(referred(path, scope)))
}

function referred(path: string, scope: Scope): Json {
  let at: Json | undefined = scope as JsonObject
  for (const step of path.split(/[.[\]]+/).filter((one) => one !== '')) {
    const isInside: boolean = typeof at === 'object' && at !== null && Object.hasOwn(at, step)
    at = isInside ? (at as JsonObject)[step] : undefined
  }
  if (at === undefined) throw new Missing()
  return at
}
