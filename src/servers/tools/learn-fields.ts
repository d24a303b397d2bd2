/**
 * Fields of an answer that hold ids which the same server takes back: a field of the `outputSchema` whose name is that of
 * a target argument of one of its tools (`page_id`; `event.id` for `event_id`). Learned from the two schemas, never from
 * content. A field that people write (titles, addresses) or that names a person or an account is never learned. A server
 * that lies in its schemas misleads only itself: such a value counts as its own only on the way back to it. Pure.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { type FieldStep, parseFieldPath } from '../../text/field-path.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { propertiesOf, resolveRef, rolesOf } from './argument-roles.ts'
import { nameTokens, singular } from '../../text/name-tokens.ts'

type Described = Pick<ToolDescription, 'name' | 'inputSchema' | 'outputSchema'>

/** The names of all id arguments that the tools of one server take, in their normal spelling. */
export type IdArguments = ReadonlySet<string>

export function idArguments(tools: Iterable<Described>): IdArguments {
  const found = new Set<string>()
  for (const { inputSchema } of tools) {
    for (const [name, { role }] of rolesOf(inputSchema, undefined)) {
      const words = wordsOf(name)
      if (role === 'target' && isIdName(words)) found.add(words.join(' '))
    }
  }
  return found
}

/** Paths of learned fields, as a definition would name them. */
export function learnFields(
  { name, outputSchema }: Described,
  ids: IdArguments,
): readonly string[] {
  if (!outputSchema || ids.size === 0) return []
  const nouns = wordsOf(name)
  const walk: Walk = { root: outputSchema, ids, nouns, found: [], left: MAX_NODES }
  visit(walk, outputSchema, { path: '', parent: '', depth: MAX_DEPTH })
  return walk.found
}

/** Bounds on the walk, since a server chooses the size of its schema. */
const MAX_NODES = 2000
const MAX_DEPTH = 8

interface Walk {
  readonly root: JsonObject
  readonly ids: IdArguments
  /** Words of the tool's name: `list_pages` returns pages, so that its `items[*].id` is a `page_id`. */
  readonly nouns: readonly string[]
  readonly found: string[]
  left: number
}

interface Place {
  readonly path: string
  /** The singular name of the object or list that holds this place; empty at the root. */
  readonly parent: string
  readonly depth: number
}

function visit(walk: Walk, schema: Json | undefined, { path, parent, depth }: Place): void {
  walk.left -= 1
  if (!isJsonObject(schema) || depth === 0 || walk.left < 0) return
  const { $ref: ref, items } = schema
  const below = { path, parent, depth: depth - 1 }
  if (typeof ref === 'string') return visit(walk, resolveRef(walk.root, ref), below)
  if (items !== undefined) visit(walk, items, { ...below, path: `${path}[*]` })
  for (const [name, inner] of Object.entries(propertiesOf(schema))) {
    if (NAME.test(name)) visitMember(walk, name, inner, below)
  }
}

function visitMember(walk: Walk, name: string, schema: Json, { path, parent, depth }: Place): void {
  const place = path === '' ? name : `${path}.${name}`
  if (isIdOf(walk, name, parent) && isIdSchema(schema)) walk.found.push(place)
  else visit(walk, schema, { path: place, parent: wordsOf(name).join(' '), depth })
}

const NAME = /^[A-Za-z_$][\w$-]*$/

function isIdOf({ ids, nouns }: Walk, name: string, parent: string): boolean {
  const words = wordsOf(name)
  const holders = parent === '' || GENERIC.has(parent) ? nouns : parent.split(' ')
  if (!isIdName(words) || holders.some(isPerson)) return false
  const spelled = words.join(' ')
  if (words.length > 1) return ids.has(spelled)
  return ids.has(spelled) || holders.some((holder) => ids.has(`${holder} ${spelled}`))
}

const ID = new Set(['id', 'uuid', 'guid', 'identifier'])
/** Names of lists and wrappers without a meaning of their own. */
const GENERIC = new Set(
  'item result data list entry node edge record row value response'.split(' '),
)
/** Ids of people and accounts, which an author can choose or money goes to: only the catalog names these. */
const PERSON = new Set(
  (
    'user author owner sender recipient assignee member creator person people contact participant attendee follower ' +
    'reviewer customer payee account iban card wallet email mail from to cc bcc username handle login reporter viewer'
  ).split(' '),
)

function isIdName(words: readonly string[]): boolean {
  return ID.has(words.at(-1) ?? '') && !words.some(isPerson)
}

function isPerson(word: string): boolean {
  return PERSON.has(word)
}

function isIdSchema(schema: Json): boolean {
  if (!isJsonObject(schema)) return false
  const { type, format } = schema
  const types: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type ?? null]
  const isScalar = types.some((one) => one === 'string' || one === 'integer')
  const isOther = types.some((one) => one === 'object' || one === 'array')
  return isScalar && !isOther && (format === undefined || format === 'uuid')
}

function wordsOf(name: string): readonly string[] {
  return nameTokens(name).map(singular)
}

/** The learned fields whose every value in this answer looks like an id; one that does not drops its field. */
export function plausibleFields(value: Json, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => areIds(value, parseFieldPath(field) ?? []))
}

function areIds(value: Json | undefined, [step, ...rest]: readonly FieldStep[]): boolean {
  if (value === undefined || value === null) return true
  if (step === undefined) return looksLikeId(value)
  if (typeof value !== 'object') return false
  if (step.kind === 'each') {
    const items: readonly Json[] = Array.isArray(value) ? value : Object.values(value)
    return items.every((item) => areIds(item, rest))
  }
  return areIds(Object.hasOwn(value, step.name) ? (value as JsonObject)[step.name] : null, rest)
}

const ID_TEXT = /^[A-Za-z0-9_.:/=+-]{1,128}$/
/** A URL, a scheme that a program follows, or the name of a host. */
const ADDRESS =
  /:\/\/|^\/\/|^(?:tel|sms|mailto|data|javascript):|^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/:]|$)/i

function looksLikeId(value: Json): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value)
  return typeof value === 'string' && ID_TEXT.test(value) && !ADDRESS.test(value)
}
