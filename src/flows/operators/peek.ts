/**
 * The only file of this room that opens labelled values: to compare, sort, measure, hash and store them, and to tell
 * their shape. No bare value leaves it: results are a yes or no, positions in a list, a hash, or the value with its
 * labels, and an answer comes with the joined label of all values that it depends on. Never lowers a label.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../../text/json.ts'
import { isTrusted, joinLabels, type Label, withoutBound } from '../../labels/label.ts'
import { chosenTree, decidedTree } from '../../labels/label-tree.ts'
import { Labelled } from '../../labels/labelled.ts'
import { RevealToken } from '../../labels/reveal-token.ts'
import { storeLabelled, storeTree } from '../../labels/stored-label.ts'
import { capacityOf } from '../../labels/untrusted-leaves.ts'
import { findInJson } from '../../text/bounded-json.ts'
import { flowError } from '../flow-errors.ts'

export interface Judged<T> {
  readonly answer: T
  readonly label: Label
}

/** A value that may be missing; a missing value has the label of the value that lacks it. */
export interface Looked {
  readonly value: Labelled | undefined
  readonly label: Label
}

export type Shape = 'null' | 'boolean' | 'number' | 'text' | 'list' | 'object'

export function shapeOf(value: Labelled): Shape {
  const bare = open(value)
  if (bare === null) return 'null'
  if (Array.isArray(bare)) return 'list'
  if (typeof bare === 'string') return 'text'
  return typeof bare as 'boolean' | 'number' | 'object'
}

/**
 * In characters; as large as an answer of a server may be. Without a limit, references to references grow
 * exponentially.
 */
const LARGEST = 16 * 2 ** 20
/** Counted for every value besides its text, in characters, since later steps visit each value again. */
const VALUE_SIZE = 32
const DEEPEST = 128

/**
 * Returns each value unchanged, and throws once their total size exceeds the limit. Never measures beyond the limit.
 */
export function createMeter(): (value: Labelled) => Labelled {
  let left = LARGEST
  const isTooLarge = (json: unknown): true | undefined => {
    left -= VALUE_SIZE + (typeof json === 'string' ? json.length : 0)
    return left < 0 || undefined
  }
  const bounds = { maxDepth: DEEPEST, look: isTooLarge, tooDeep: () => true }
  return (value) => {
    if (findInJson(open(value), bounds)) throw tooLarge()
    return value
  }
}

function tooLarge(): Error {
  return flowError(
    'flows.too-large',
    `Cannot make a value that is larger than ${LARGEST / 2 ** 20} MiB, or nested deeper than ${DEEPEST} levels`,
    'Take fewer items with `filter`, or fewer fields of each with `pick`',
  )
}

/** A yes or no about values, with their joined label. */
export function judge(
  values: readonly Looked[],
  ask: (...bare: readonly (Json | undefined)[]) => boolean,
): Judged<boolean> {
  return { answer: ask(...values.map(openLooked)), label: joined(values) }
}

/** Positions in `values`, each at most once, with the joined label of all values. */
export function arrange(
  values: readonly Looked[],
  order: (bare: readonly (Json | undefined)[]) => readonly number[],
): Judged<readonly number[]> {
  const positions = order(values.map(openLooked))
  const known = new Set(values.keys())
  if (!positions.every((position) => known.delete(position))) {
    throw new TypeError('An order names each position at most once')
  }
  return { answer: positions, label: joined(values) }
}

/** `chosenTree` for a value: no part is more trusted or less confidential than the data that chose it. */
export function chosenBy(value: Labelled, choice: Label, among?: number): Labelled {
  return new Labelled(open(value), chosenTree(value.tree, choice, among))
}

/** `decidedTree` for a value. */
export function decidedBy(value: Labelled, decider: Label): Labelled {
  return new Labelled(open(value), decidedTree(value.tree, decider))
}

/** The most bits that the untrusted parts of a value can say. */
export function bitsSaid(value: Labelled): number {
  return isTrusted(value.label) ? 0 : capacityOf(open(value), value.tree)
}

/**
 * The text of an answer that consists of text blocks (MCP content), one per line; any other value unchanged. Its label is
 * that of all blocks together, without a bound: joined texts can say more than each of them.
 */
export function textOfAnswer(value: Labelled): Labelled {
  const bare = open(value)
  if (!Array.isArray(bare)) return value
  const texts = (bare as readonly Json[]).map(blockText)
  if (!texts.every((text) => text !== undefined)) return value
  return flat(texts.join('\n'), value)
}

function blockText(block: Json): string | undefined {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return undefined
  const { type, text, resource } = block as JsonObject
  if (type === 'resource') return textMember(resource)
  return type === 'text' && typeof text === 'string' ? text : undefined
}

function textMember(resource: Json | undefined): string | undefined {
  if (typeof resource !== 'object' || resource === null || Array.isArray(resource)) return undefined
  const { text } = resource as JsonObject
  return typeof text === 'string' ? text : undefined
}

/** The value that a text spells as JSON, if `fits` takes it. Undefined for anything else. */
export function readJson(
  value: Labelled,
  fits: (json: Json) => boolean = () => true,
): Labelled | undefined {
  const bare = open(value)
  const json = typeof bare === 'string' ? parsed(bare) : undefined
  return json !== undefined && fits(json) ? createMeter()(flat(json, value)) : undefined
}

/** A model often writes JSON as a fenced block. Half a character has no spelling in JSON, so it is none. */
function parsed(text: string): Json | undefined {
  const [, fenced] = /^\s*```(?:json)?\n([^]*)\n```\s*$/.exec(text) ?? []
  try {
    const json = JSON.parse(fenced ?? text) as Json
    return isWellFormed(json) ? json : undefined
  } catch {
    return undefined
  }
}

function isWellFormed(json: Json): boolean {
  const look = (value: unknown): true | undefined => {
    const texts = typeof value === 'string' ? [value] : namesOf(value)
    return texts.every((text) => text.isWellFormed()) ? undefined : true
  }
  return findInJson<boolean>(json, { maxDepth: DEEPEST, look, tooDeep: () => false }) !== true
}

function namesOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

/** The lines of a text that are not empty; undefined for any other value. */
export function linesOf(value: Labelled): Labelled | undefined {
  const bare = open(value)
  if (typeof bare !== 'string') return undefined
  const lines = bare.split(/\r?\n/).filter((line) => line.trim() !== '')
  return createMeter()(flat(lines, value))
}

/** A value that was made of all of another one. */
function flat(json: Json, made: Labelled): Labelled {
  const { from } = made
  return new Labelled(json, { label: withoutBound(made.label), ...(from && { from }) })
}

/** SHA-256 of value and labels; undefined if the value has no canonical JSON (RFC 8785), as with a lone surrogate. */
export function fingerprint(value: Labelled): string | undefined {
  try {
    const text = canonicalJson({ value: open(value), labels: storeTree(value.tree) })
    return createHash('sha256').update(text).digest('hex')
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** The form in which a value is stored between two steps: never without its labels. */
export function kept(value: Labelled): Json {
  return storeLabelled(value, RevealToken.issue())
}

function open(value: Labelled): Json {
  return Labelled.reveal(value, RevealToken.issue())
}

function openLooked({ value }: Looked): Json | undefined {
  return value && open(value)
}

function joined(values: readonly Looked[]): Label {
  const [first, ...others] = values
  if (!first) throw new TypeError('There is nothing to look at')
  return others.reduce((label, one) => joinLabels(label, one.label), first.label)
}
