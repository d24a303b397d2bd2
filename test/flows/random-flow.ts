/**
 * Random flows of operators and one scripted tool, for the differential test: chains, joins, edges for errors, loops,
 * lists, guards, retries, inputs and keys of the store. References fit what they refer to, so that most flows are sound.
 */
import type { Json, JsonObject } from '../../src/text/json.ts'
import { Dice, isList, type Shape, valueOfShape } from './random-values.ts'
import type { SmallEdge, SmallFlow, SmallNode } from './small-interpreter.ts'

interface Known {
  readonly ref: string
  readonly shape: Shape
}

/** The script of the tool at one node: at first it fails so often, in this way, for each value that it is given. */
export interface Scripted {
  readonly shape: Shape
  readonly fails: number
  readonly action: string
}

export interface RandomFlow {
  readonly flow: SmallFlow
  readonly inputs: JsonObject
  readonly script: Readonly<Record<string, Scripted>>
}

const FAILURES = [
  'rate_limited',
  'auth_failed',
  'forbidden',
  'resource_missing',
  'timeout',
  'server_error',
  'network_error',
  'error',
] as const
const FINAL = ['auth_failed', 'forbidden', 'resource_missing', 'error']
const isFinal = (action: string): boolean => FINAL.includes(action)

/** `mayWait`: also failures after which the engine waits for a second or more, before it tries again. */
export function randomFlow(seed: number, mayWait: boolean): RandomFlow {
  const dice = new Dice(seed)
  const making = new Making(dice, `r${seed}`, mayWait ? FAILURES : FAILURES.filter(isFinal))
  const count = 2 + dice.below(6)
  for (let at = 0; at < count; at += 1) making.addNode(`n${at}`)
  return making.done()
}

class Making {
  readonly #dice: Dice
  readonly #run: string
  readonly #failures: readonly string[]
  readonly #nodes: SmallNode[] = []
  readonly #script: Record<string, Scripted> = {}
  readonly #mappings: Record<string, { output_mappings?: { [key: string]: string } }> = {}
  readonly #known: Known[] = []
  readonly #inputs: Record<string, { type: string; default?: Json }> = {}
  readonly #given: Record<string, Json> = {}

  constructor(dice: Dice, run: string, failures: readonly string[]) {
    this.#dice = dice
    this.#run = run
    this.#failures = failures
    this.#addInput('few', 'number')
    this.#addInput('who', 'records')
  }

  #addInput(name: string, shape: Shape): void {
    const value = valueOfShape(shape, this.#dice)
    const type = shape === 'number' ? 'number' : 'list'
    const isGiven = this.#dice.is(50)
    this.#inputs[name] = isGiven ? { type } : { type, default: value }
    if (isGiven) this.#given[name] = value
    this.#known.push({ ref: `\${${name}}`, shape })
  }

  addNode(id: string): void {
    const dice = this.#dice
    const lists = this.#of('records', 'texts', 'numbers')
    const each = dice.is(25) ? dice.one(lists) : undefined
    const made = each ? this.#inEach(id, each) : (this.#operator(id) ?? this.#tool(id, this.#any()))
    const when = dice.is(20) ? this.#guard() : undefined
    this.#nodes.push({ ...made.node, ...(when && { when }) })
    if (each) this.#know(id, 'results', manyOf(made))
    else this.#know(id, 'result', made)
  }

  /** Some outputs are kept under a key of the store, which a later node may write as well. */
  #know(
    id: string,
    output: string,
    { shape, isInside = false }: Pick<Made, 'shape' | 'isInside'>,
  ): void {
    const inside = isInside ? '.list' : ''
    this.#known.push({ ref: `\${${id}.${output}${inside}}`, shape })
    if (this.#dice.is(80)) return
    const key = `${shape}-key${isInside ? '-inside' : ''}`
    this.#mappings[id] = { output_mappings: { [output]: key } }
    this.#known.push({ ref: `\${${key}${inside}}`, shape })
  }

  #of(...shapes: readonly Shape[]): readonly Known[] {
    return this.#known.filter(({ shape }) => shapes.includes(shape))
  }

  #any(): Json {
    const { ref } = this.#dice.one(this.#known)
    return this.#dice.is(70) ? ref : this.#dice.is(50) ? `so ${ref}!` : this.#dice.below(5)
  }

  #inEach(id: string, { ref, shape }: Known): Made {
    const dice = this.#dice
    const value = shape === 'records' && dice.is(50) ? '${one.n}' : '${one}'
    const made = dice.is(30)
      ? { node: { id, type: 'format', params: { template: `<${value}>` } }, shape: 'text' as const }
      : this.#tool(id, value)
    const mayGoOn = dice.is(50)
    const forEach = {
      items: ref,
      as: 'one',
      max: dice.is(85) ? 20 : 2,
      // The items that are under way when another one fails are an accident.
      parallel: (mayGoOn || (this.#script[id]?.fails ?? 0) === 0) && dice.is(40),
      error_handling: mayGoOn ? 'continue' : 'fail_fast',
    } as const
    return { ...made, node: { ...made.node, forEach } }
  }

  #tool(id: string, value: Json): Made {
    const dice = this.#dice
    const shape = dice.one<Shape>([
      'records',
      'records',
      'record',
      'number',
      'text',
      'texts',
      'json',
    ])
    const fails = dice.is(70) ? 0 : dice.is(60) ? 1 : 9
    const retries = dice.is(25) ? 1 : 0
    this.#script[id] = { shape, fails, action: dice.one(this.#failures) }
    const params = { run: this.#run, at: id, value }
    const node = {
      id,
      type: 'box.ask',
      params,
      ...(retries > 0 && { execution: { max_retries: 1 } }),
    }
    return { node, shape, isInside: isList(shape) }
  }

  #guard(): NonNullable<SmallNode['when']> {
    const dice = this.#dice
    const number = dice.one(this.#of('number'))
    const op = dice.one(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'])
    const text = dice.one([...this.#of('text'), undefined])
    if (!text || dice.is(60)) return { left: number.ref, op, right: dice.below(10) }
    return { left: text.ref, op: dice.one(['contains', 'starts_with', 'ends_with']), right: 'a' }
  }

  #operator(id: string): Made | undefined {
    const dice = this.#dice
    if (dice.is(35)) return undefined
    const source = dice.one(this.#of('records', 'text', 'texts', 'json'))
    const [type, shape, params] = dice.one(OPERATORS[source.shape] ?? [])?.(dice) ?? []
    if (type === undefined || shape === undefined) return undefined
    const all =
      type === 'format' ? { template: `a ${source.ref} b` } : { items: source.ref, ...params }
    return { node: { id, type, params: all }, shape }
  }

  done(): RandomFlow {
    const dice = this.#dice
    const named = this.#known.filter(() => dice.is(70))
    const outputs = Object.fromEntries(
      [...named, this.#known.at(-1) as Known].map(({ ref }, at) => [`o${at}`, { source: ref }]),
    )
    const edges = dice.is(30) ? undefined : this.#edges()
    const flow: SmallFlow = {
      nodes: this.#nodes,
      ...(edges && { edges }),
      inputs: this.#inputs,
      outputs,
      mappings: this.#mappings,
    }
    return { flow, inputs: this.#given, script: this.#script }
  }

  /** A chain, with ways around some of its nodes, ways on after a failure, and at most one way back. */
  #edges(): readonly SmallEdge[] {
    const dice = this.#dice
    const ids = this.#nodes.map(({ id }) => id)
    const chain = ids.slice(1).map((to, at) => ({ from: ids[at] ?? '', to }))
    const around = ids.flatMap((from, at) => {
      const to = ids[at + 2 + dice.below(2)]
      return to !== undefined && dice.is(15) ? [{ from, to }] : []
    })
    const failing = ids.flatMap((from, at) => {
      const action = dice.is(30) ? 'error' : this.#script[from]?.action
      const to = ids[at + 1 + dice.below(3)]
      return action !== undefined && to !== undefined && dice.is(60) ? [{ from, to, action }] : []
    })
    return [...chain, ...around, ...failing, ...(dice.is(30) ? this.#back(ids) : [])]
  }

  #back(ids: readonly string[]): readonly SmallEdge[] {
    const dice = this.#dice
    const at = 1 + dice.below(ids.length - 1)
    const [from, to] = [ids[at] ?? '', ids[dice.below(at + 1)] ?? '']
    const max = 1 + dice.below(3)
    const { action } = this.#script[from] ?? {}
    return [{ from, to, max, ...(action !== undefined && dice.is(50) && { action }) }]
  }
}

/** A node, and the shape of its answer. The lists of the tool are a member of its answer, as servers give them. */
interface Made {
  readonly node: SmallNode
  readonly shape: Shape
  readonly isInside?: boolean
}

function manyOf({ shape, isInside }: Made): Pick<Made, 'shape'> {
  if (shape === 'record') return { shape: 'records' }
  if (isInside) return { shape: 'any-list' }
  return { shape: shape === 'number' ? 'numbers' : 'texts' }
}

type MadeOperator = readonly [type: string, shape: Shape, params: JsonObject]

const where = (dice: Dice): Json =>
  dice.one<Json>([
    `n > ${dice.below(10)}`,
    `id != ${dice.below(5)} and n <= ${dice.below(10)}`,
    'name contains n',
    { field: 'n', op: dice.one(['eq', 'lt', 'gte']), value: dice.below(10) },
    [
      { field: 'id', op: 'in', value: [1, 2, 3] },
      { field: 'name', op: 'ne', value: '' },
    ],
  ])
const by = (dice: Dice): JsonObject => ({ by: dice.one(['id', 'n', 'name']) })

const OPERATORS: Partial<Record<Shape, readonly ((dice: Dice) => MadeOperator)[]>> = {
  records: [
    (dice) => ['filter', 'records', { where: where(dice) }],
    (dice) => ['select', 'record', { where: where(dice) }],
    (dice) => ['sort', 'records', { ...by(dice), order: dice.one(['asc', 'desc']) }],
    (dice) => ['argmax', 'record', { by: dice.one(['id', 'n']) }],
    (dice) => ['argmin', 'record', { by: dice.one(['id', 'n']) }],
    (dice) => ['unique', 'records', dice.is(50) ? by(dice) : {}],
    () => ['first', 'record', {}],
    () => ['last', 'record', {}],
    () => ['count', 'number', {}],
    () => ['map', 'texts', { to: '${item.name}' }],
    () => ['map', 'records', { to: { id: '${r.n}', n: '${r.id}', name: 'x${r.name}' }, as: 'r' }],
    () => ['pick', 'records', { fields: ['id', 'n', 'name'] }],
  ],
  text: [() => ['lines', 'texts', {}], () => ['format', 'text', {}]],
  texts: [
    (dice) => ['join', 'text', dice.is(50) ? { separator: '-' } : {}],
    () => ['count', 'number', {}],
    () => ['unique', 'texts', {}],
  ],
  json: [() => ['json', 'record', {}]],
}
