/**
 * Every output of every node, put into every input of every other: what the check lets through does not end for its
 * types in a run, and what it refuses would not have run.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import { checkFlow } from '../../src/flows/check/check-flow.ts'
import type { CheckedNode } from '../../src/flows/check/checked-flow.ts'
import { EMPTY_STORE, scopeOf, withOutputs } from '../../src/flows/engine/store-view.ts'
import { argumentsOf, asDeclared, outputsFrom } from '../../src/flows/engine/step-values.ts'
import { resolve } from '../../src/flows/language/references.ts'
import { parseIr } from '../../src/flows/language/ir.ts'
import { BUILT_IN_NODES } from '../../src/flows/nodes/built-in-nodes.ts'
import type { NodeDescriptor } from '../../src/flows/nodes/node-descriptor.ts'
import { createNodeIndex } from '../../src/flows/nodes/node-index.ts'
import { applyOperation } from '../../src/flows/operators/operation.ts'
import { itemsOf } from '../../src/flows/operators/operators.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { OWN_WORDS } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { RevealToken } from '../../src/labels/reveal-token.ts'
import { isObject } from '../../src/flows/language/value-type.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import {
  chosen,
  embeddedTools,
  type EmbeddedTool,
  type Random,
  seeded,
  SWEEP,
  sweeping,
  valueBySchema,
  valueOfType,
} from './pair-nodes.ts'

/** Values of each pair that are tried: each text, and a value of each type, once or twice. */
const VALUES = 2 * SWEEP
const PAIRS = rounds(Infinity, 300)

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-pairs-'))
after(() => rmSync(folder, { recursive: true }))

interface Piece {
  readonly descriptor: NodeDescriptor
  readonly tool?: EmbeddedTool
}

const pieces: Piece[] = []
let index: ReturnType<typeof createNodeIndex>
before(async () => {
  const tools = await embeddedTools(folder)
  assert.ok(tools.some(({ outputSchema }) => outputSchema))
  index = createNodeIndex([
    ...BUILT_IN_NODES.map((descriptor) => ({ descriptor })),
    ...tools.map(({ node }) => node),
  ])
  pieces.push(...BUILT_IN_NODES.map((descriptor) => ({ descriptor })))
  pieces.push(...tools.map((tool) => ({ descriptor: tool.node.descriptor, tool })))
})

/** The params of the operators that cannot do without. */
const SETTINGS: Readonly<Record<string, JsonObject>> = {
  select: { where: 'a = 1' },
  filter: { where: 'a = 1' },
  map: { to: '${item}' },
  sort: { by: 'a' },
  argmax: { by: 'a' },
  argmin: { by: 'a' },
  format: { template: 'x' },
  pick: { fields: ['a'] },
}

function literals(random: Random, { descriptor, tool }: Piece, except?: string): JsonObject {
  const properties = (tool?.inputSchema['properties'] ?? {}) as JsonObject
  const required = descriptor.inputs.filter(({ name, required: is }) => is && name !== except)
  const given = required.map(({ name, type }): [string, Json] => {
    const value = tool ? valueBySchema(random, properties[name]) : valueOfType(random, type)
    return [name, typeof value === 'string' ? value.replaceAll('${', '') : value]
  })
  return { ...SETTINGS[descriptor.id], ...Object.fromEntries(given) }
}

const own = { label: OWN_WORDS, place: '' }
const labelled = (value: Json): Labelled => new Labelled(value, { label: OWN_WORDS })
const bare = (value: Labelled): Json => Labelled.reveal(value, RevealToken.issue())

/** An answer of the first node: any value of the types that it declares. */
function answerOf({ random: any, attempt }: Luck, { descriptor, tool }: Piece): Labelled {
  const random = sweeping(any, attempt)
  if (tool?.outputSchema) {
    const { properties = {}, required = [] } = tool.outputSchema
    const given = Object.entries(properties as JsonObject).filter(
      ([name]) => (required as readonly string[]).includes(name) || any() < 0.5,
    )
    const members = given.map(([name, one]) => [name, valueBySchema(sweeping(any, attempt), one)])
    return labelled(Object.fromEntries(members) as JsonObject)
  }
  if (tool) return labelled([{ type: 'text', text: valueOfType(random, 'string') }])
  const [output, ...others] = descriptor.outputs
  if (output?.name === 'result' && others.length === 0)
    return labelled(valueOfType(random, output.type))
  const members = descriptor.outputs.map(({ name, type }) => [name, valueOfType(random, type)])
  return labelled(Object.fromEntries(members) as JsonObject)
}

interface Luck {
  readonly random: Random
  readonly attempt: number
}

interface Judged {
  readonly isAccepted: boolean
  readonly findings: readonly string[]
  /** Refused for a text in place of a number: a run reads a number out of a text only if its type is unknown. */
  readonly isText: boolean
  /** Why the second step could not run; undefined if it could. */
  readonly misfit: string | undefined
}

/** Undefined if the first node would not run with these literals. */
function judge({ random, attempt }: Luck, { from, to, link }: Pair): Judged | undefined {
  const taken = link.output === undefined ? undefined : `\${a.${link.output}}`
  const isLoop = link.input === LOOP
  const params = {
    ...literals(random, to, link.input),
    ...(taken !== undefined && !isLoop && { [link.input]: taken }),
  }
  const nodes = [
    { id: 'a', type: from.descriptor.id, params: literals(random, from) },
    {
      id: 'b',
      type: to.descriptor.id,
      params,
      ...(isLoop && { forEach: { items: taken, as: 'one' } }),
    },
  ]
  const predict = () => ({ kind: 'allow', rule: 'test' }) as const
  const report = checkFlow({ ir: parseIr({ nodes }), nodeIndex: index, predict, given: new Set() })
  const [first, second] = ['a', 'b'].map((id) => report.nodes.get(id) as CheckedNode)
  if (!first || !second) return undefined
  const errors = report.findings.filter(({ severity }) => severity === 'error')
  if (errors.some(({ place }) => place.startsWith('nodes[0]'))) return undefined
  const outputs = outputsFrom(first.outputs, answerOf({ random, attempt }, from))
  const store = withOutputs(EMPTY_STORE, { node: 'a', outputs })
  const scope = scopeOf(store, new Set(['a', 'b']))
  const bindings = report.bindings.get('b') ?? []
  return {
    isAccepted: errors.length === 0,
    findings: errors.map(({ message }) => message),
    isText: errors.every(({ message }) => TEXT_FOR_NUMBER.test(message)),
    misfit: misfitOf(() => {
      if (isLoop) {
        itemsOf(asDeclared(resolve(taken ?? null, scope, own), 'array'))
        return undefined
      }
      const args = argumentsOf(bindings, scope, own)
      if (second.operation) {
        applyOperation(second.operation, { items: args['items'] ?? labelled(null), scope, own })
        return undefined
      }
      return argumentMisfit(
        to,
        Object.fromEntries(Object.entries(args).map(([name, one]) => [name, bare(one)])),
      )
    }),
  }
}

const TEXT_FOR_NUMBER = /takes (?:number|integer|boolean), and would get string$/

function misfitOf(run: () => string | undefined): string | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof CordonError) return `${error.code}: ${error.message}`
    throw error
  }
}

/** Types only: what else a server wants of a value, no check of a flow can know. */
function argumentMisfit({ descriptor, tool }: Piece, args: JsonObject): string | undefined {
  const properties = (tool?.inputSchema['properties'] ?? {}) as JsonObject
  const misfits = descriptor.inputs.map(({ name, type, required }) => {
    const value = args[name]
    if (value === undefined) return required ? `${name} is missing` : undefined
    const own: JsonObject = type === 'string' ? { type } : {}
    const schema = tool ? typesIn(properties[name]) : own
    const { valid, errors } = new Validator(schema, '2020-12', true).validate(value)
    return valid ? undefined : `${name}: ${errors[0]?.error}`
  })
  return misfits.find((one) => one !== undefined)
}

function typesIn(schema: Json | undefined): JsonObject {
  if (!isObject(schema)) return {}
  const { type, items } = schema
  const parts = schema['anyOf'] ?? schema['oneOf']
  return {
    ...(type !== undefined && { type }),
    ...(items !== undefined && { items: typesIn(items) }),
    ...(Array.isArray(parts) && { anyOf: parts.map(typesIn) }),
  }
}

/** Stands for the list that a step is repeated for. */
const LOOP = '(for each)'

interface Link {
  readonly input: string
  /** Undefined where it is piped. */
  readonly output: string | undefined
}

interface Pair {
  readonly from: Piece
  readonly to: Piece
  readonly link: Link
}

function allPairs(): readonly Pair[] {
  return pieces.flatMap((from) =>
    pieces.flatMap((to) => linksOf(from, to).map((link) => ({ from, to, link }))),
  )
}

function linksOf({ descriptor: from }: Piece, { descriptor: to }: Piece): readonly Link[] {
  const outputs = from.outputs.map(({ name }) => name)
  const inputs = [...to.inputs.map(({ name }) => name), ...(to.id === 'format' ? [LOOP] : [])]
  const main = to.inputs.find(({ isMain, required }) => isMain || required)
  return [
    ...inputs.flatMap((input) => outputs.map((output) => ({ input, output }))),
    ...(main ? [{ input: main.name, output: undefined }] : []),
  ]
}

function judgeAll(random: Random, pairs: readonly Pair[]) {
  const wrong: string[] = []
  const counts = { accepted: 0, refused: 0 }
  for (const { from, to, link } of pairs) {
    const tried = Array.from({ length: VALUES }, (_, attempt) =>
      judge({ random, attempt }, { from, to, link }),
    ).filter((one) => one !== undefined)
    const [accepted, refused] = [
      tried.filter((one) => one.isAccepted),
      tried.filter((one) => !one.isAccepted),
    ]
    const name = `${from.descriptor.id}.${link.output ?? ' >>'} → ${to.descriptor.id}.${link.input}`
    if (accepted.length > 0) counts.accepted += 1
    if (refused.length > 0) counts.refused += 1
    const ends = accepted.filter(({ misfit }) => misfit !== undefined)
    if (accepted.length > 0 && ends.length === accepted.length)
      wrong.push(`accepted, never runs: ${name}: ${ends[0]?.misfit}`)
    const runs = refused.filter(({ misfit, isText }) => misfit === undefined && !isText)
    if (runs.length > 0) wrong.push(`refused, would run: ${name}: ${runs[0]?.findings[0]}`)
  }
  return { wrong, counts }
}

test('the check and the run agree about every pair of nodes', (context) => {
  const random = seeded(7)
  const all = allPairs()
  const pairs = PAIRS < all.length ? Array.from({ length: PAIRS }, () => chosen(random, all)) : all
  const { wrong, counts } = judgeAll(random, pairs)
  context.diagnostic(
    `${pairs.length} of ${all.length} pairs: ${counts.accepted} accepted, ${counts.refused} refused`,
  )
  assert.deepEqual(wrong, [])
})
