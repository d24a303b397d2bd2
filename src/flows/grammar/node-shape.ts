/** The facts that the grammar needs about a node, and the lookup of the key that a flag means. */
import type { Json } from '../../text/json.ts'

export interface NodeShape {
  /** The node's full name, if it has aliases. */
  readonly id?: string
  /** Keys that the node reads from the store of the run. */
  readonly inputs: readonly string[]
  /** The inputs that are required; absent: all of them. */
  readonly required?: readonly string[]
  /** The input that takes standard input, even if it is optional. */
  readonly main?: string
  readonly outputs?: readonly string[]
  /** The node's params and their defaults. */
  readonly params: Readonly<Record<string, Json | undefined>>
  /** Types of inputs and params; see `read-value.ts`. */
  readonly types: Readonly<Record<string, string>>
  /** For inputs and params with an enum: the allowed values. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
}

/** Looks up a node by its name without version. */
export type Describe = (name: string) => NodeShape | undefined

export interface FlagTarget {
  readonly kind: 'input' | 'param'
  readonly key: string
  /** `--no-key`. */
  readonly negated: boolean
}

/** Resolves a flag: an input first, then a param, then the negation of either. */
export function findTarget(shape: NodeShape, flag: string): FlagTarget | undefined {
  const target = findKey(shape, flag, false)
  if (target || !flag.startsWith('no-')) return target
  const negated = findKey(shape, flag.slice('no-'.length), true)
  return negated && mayBeFalse(shape, negated.key) ? negated : undefined
}

export function typeOf(shape: NodeShape, key: string): string | undefined {
  return Object.hasOwn(shape.types, key) ? shape.types[key] : undefined
}

export function requiredInputs(shape: NodeShape): readonly string[] {
  return shape.required ?? shape.inputs
}

/** Every key, spelled as a flag. */
export function flagNames(shape: NodeShape): readonly string[] {
  const keys = new Set([...shape.inputs, ...Object.keys(shape.params)])
  return Array.from(keys, (key) => key.replaceAll('_', '-'))
}

function findKey(shape: NodeShape, flag: string, negated: boolean): FlagTarget | undefined {
  const input = matchKey(shape.inputs, flag)
  if (input !== undefined) return { kind: 'input', key: input, negated }
  const param = matchKey(Object.keys(shape.params), flag)
  return param === undefined ? undefined : { kind: 'param', key: param, negated }
}

/** `--max-results` means `max_results`, or `maxResults` if only that exists. */
function matchKey(keys: readonly string[], flag: string): string | undefined {
  const exact = [flag, flag.replaceAll('-', '_')].find((name) => keys.includes(name))
  if (exact !== undefined) return exact
  const alike = keys.filter((key) => fold(key) === fold(flag))
  return alike.length === 1 ? alike[0] : undefined
}

function fold(key: string): string {
  return key.replace(/[-_]/g, '').toLowerCase()
}

function mayBeFalse(shape: NodeShape, key: string): boolean {
  const type = typeOf(shape, key)
  return type === undefined || /\b(?:boolean|any)\b/.test(type)
}
