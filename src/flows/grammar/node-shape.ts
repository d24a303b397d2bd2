/** What the grammar needs to know of a node, and which of its keys a flag means. */
import type { Json } from '../../kernel/json.ts'

export interface NodeShape {
  /** Its full name, where it answers to several. */
  readonly id?: string
  /** What it reads from the store of the run. */
  readonly inputs: readonly string[]
  /** Which of them it cannot do without; absent: all. */
  readonly required?: readonly string[]
  /** What it works on: takes what is piped in, also where it could do without. */
  readonly main?: string
  readonly outputs?: readonly string[]
  /** Its settings and their defaults. */
  readonly params: Readonly<Record<string, Json | undefined>>
  /** Of inputs and params: see `read-value.ts`. */
  readonly types: Readonly<Record<string, string>>
  /** Of inputs and params: the only values they take. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
}

/** The node of this name, without its version. */
export type Describe = (name: string) => NodeShape | undefined

export interface FlagTarget {
  readonly kind: 'input' | 'param'
  readonly key: string
  /** `--no-key`. */
  readonly negated: boolean
}

/** Type flags; engine decides: an input first, then a param, then the negation of either. */
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

/** Every key, as one would type it. */
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

/** `--max-results` means `max_results`, or `maxResults` where only that exists. */
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
