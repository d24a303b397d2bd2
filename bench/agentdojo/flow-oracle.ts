/**
 * A model that is always right: its answer to each node makes the flow repeat the recorded calls. The answers are
 * worked out from the references of the flow and from the recorded values in the same places.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { FlowIr, FlowNode } from '../../src/flows/language/ir.ts'
import { type Path, wholeReference } from '../../src/flows/language/references.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { SuiteStep } from './suite.ts'

const OUTPUTS: Readonly<Record<string, string>> = {
  llm: 'response',
  compose: 'text',
  'summarize-text': 'summary',
}

/** Answers by node: fields for an `extract`, a text for the other kinds. */
export type Answers = ReadonlyMap<string, Json>

export function answersFor(ir: FlowIr, suite: string, steps: readonly SuiteStep[]): Answers {
  const found = new Map<string, Record<string, Json>>()
  const bind: Bind = ([root, field], value) => {
    const chosenBy = choiceOf(ir.nodes.find(({ id }) => id === root))
    if (chosenBy) bind(chosenBy, value)
    if (!ir.nodes.some(({ id, type }) => id === root && asksModel(type))) return
    found.set(root, { ...found.get(root), [String(field)]: value })
  }
  let at = 0
  for (const node of ir.nodes.filter(({ type }) => type.startsWith(`mcp-${suite}-`))) {
    at += taken(node, node.type.slice(`mcp-${suite}-`.length), steps.slice(at), bind)
  }
  assert.equal(at, steps.length, 'the flow makes every recorded call')
  const models = ir.nodes.filter(({ type }) => asksModel(type))
  return new Map(models.map(({ id, type }) => [id, answerOf(type, found.get(id) ?? {})]))
}

/** The value that a `select` looks for, where an earlier step gives it. */
function choiceOf(node: FlowNode | undefined): Path | undefined {
  const where = node?.type === 'select' ? node.params['where'] : undefined
  const value = isHolder(where ?? null) ? (where as JsonObject)['value'] : undefined
  return typeof value === 'string' ? wholeReference(value) : undefined
}

export function asksModel(type: string): boolean {
  return type === 'extract' || Object.hasOwn(OUTPUTS, type)
}

/** The name of the one text that a node gives; empty for an `extract`. */
export function outputOf(type: string): string {
  return OUTPUTS[type] ?? ''
}

function answerOf(type: string, fields: Readonly<Record<string, Json>>): Json {
  if (type === 'extract') return fields
  return fields[outputOf(type)] ?? 'An answer for the person who asked'
}

type Bind = (path: Path, value: Json) => void

/** How many of the recorded calls this node makes; binds the references of its params to the recorded values. */
function taken(node: FlowNode, tool: string, steps: readonly SuiteStep[], bind: Bind): number {
  if (node.forEach) return takenByEach(node, tool, steps, bind)
  const [step] = steps
  const isNext = step?.tool === tool && unify(node.params, step.args, bind)
  if (node.when) {
    const { left, right } = node.when
    const path = typeof left === 'string' ? wholeReference(left) : undefined
    assert.ok(path && typeof right === 'boolean', 'a guard asks for a yes or a no')
    bind(path, isNext ? right : !right)
  }
  assert.ok(isNext || node.when, `${node.id} makes the next recorded call`)
  return isNext ? 1 : 0
}

function takenByEach(
  { forEach, params }: FlowNode,
  tool: string,
  steps: readonly SuiteStep[],
  bind: Bind,
): number {
  assert.ok(forEach && typeof forEach.items === 'string')
  const other = steps.findIndex((step) => step.tool !== tool)
  const mine = steps.slice(0, other < 0 ? steps.length : other)
  const items = mine.map(({ args }) => {
    const item: Record<string, Json> = {}
    const isSame = unify(params, args, (path, value) => {
      if (path[0] === forEach.as) item[String(path[1])] = value
      else bind(path, value)
    })
    assert.ok(isSame, 'each item gives one recorded call')
    return item
  })
  const path = wholeReference(forEach.items)
  if (path) bind(path, items)
  return mine.length
}

/** Whether the written params can become the recorded value; only then are the references bound. */
function unify(written: Json, value: Json, bind: Bind): boolean {
  const found: (readonly [Path, Json])[] = []
  if (!fits(written, value, (path, one) => found.push([path, one]))) return false
  for (const [path, one] of found) bind(path, one)
  return true
}

function fits(written: Json, value: Json, note: (path: Path, value: Json) => void): boolean {
  if (typeof written === 'string') {
    const path = wholeReference(written)
    if (path) note(path, value)
    return path !== undefined || written === value
  }
  if (!isHolder(written) || !isHolder(value)) return isDeepStrictEqual(written, value)
  const names = Object.keys(written)
  return (
    isDeepStrictEqual(names.toSorted(), Object.keys(value).toSorted()) &&
    names.every((name) => fits(written[name] ?? null, value[name] ?? null, note))
  )
}

function isHolder(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null
}
