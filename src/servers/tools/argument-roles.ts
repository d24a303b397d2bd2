/**
 * The role of each argument of a tool: as the definition declares it (by the catalog or the owner), else as name and
 * schema suggest, else a target. The schema is untrusted: it can make a role stricter, never weaker.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { later } from '../../labels/label.ts'
import type { ToolOverride } from '../../kernel/server-definition.ts'
import { type Role, ROLES } from '../../kernel/tool-facts.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { roleByName } from './role-by-name.ts'

export interface ArgumentRole {
  readonly role: Role
  /** `unknown`: neither name nor schema gives a role, so it is a target. */
  readonly source: 'definition' | 'schema' | 'unknown'
}

/** By argument, in the order of the schema; arguments that only the definition names come last. */
export function rolesOf(
  inputSchema: JsonObject,
  own: ToolOverride | undefined,
): ReadonlyMap<string, ArgumentRole> {
  const reader: Reader = { root: inputSchema, left: MAX_NODES }
  const roles = new Map<string, ArgumentRole>()
  for (const [name, schema] of Object.entries(propertiesOf(inputSchema))) {
    roles.set(name, roleOf(reader, name, schema))
  }
  for (const [name, role] of Object.entries(own?.roles ?? {})) {
    roles.set(name, { role, source: 'definition' })
  }
  return roles
}

/** Bounds on the schema walk, since a server chooses the size of its schema; an unvisited part counts as a target. */
const MAX_NODES = 2000
const MAX_DEPTH = 12

interface Reader {
  readonly root: JsonObject
  left: number
}

function roleOf(reader: Reader, name: string, schema: Json): ArgumentRole {
  const known = roleByName(name)
  const inside = roleInside(reader, schema, known, MAX_DEPTH)
  return { role: inside, source: known === undefined && inside === 'target' ? 'unknown' : 'schema' }
}

/** `known` is the role that the name gives: it applies to a single value and to the items of a list. */
function roleInside(reader: Reader, schema: Json, known: Role | undefined, depth: number): Role {
  reader.left -= 1
  if (!isJsonObject(schema) || depth === 0 || reader.left < 0) return stricter('target', known)
  const down = (inner: Json): Role => roleInside(reader, inner, known, depth - 1)
  const { $ref: ref } = schema
  if (typeof ref === 'string') return down(resolveRef(reader.root, ref))
  const branches = branchesOf(schema)
  if (branches.length > 0) return strictest(branches.map(down))
  if (isList(schema)) return down(schema['items'] ?? null)
  if (isObject(schema)) return strictest([...membersOf(reader, schema, depth), owned(known)])
  return roleOfValue(schema, known)
}

/**
 * Merges the schema's alternatives (anyOf, oneOf, allOf) with the base schema, if that describes a list or an object.
 */
function branchesOf({ anyOf = [], oneOf = [], allOf = [], ...rest }: JsonObject): readonly Json[] {
  const branches = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const isMore = isList(rest) || isObject(rest)
  return branches.length > 0 && isMore ? [rest, ...branches] : branches
}

/**
 * The role that an object's own name adds: a recipient stays a target whatever its members are; an object without a
 * telling name takes the strictest role of its members.
 */
function owned(known: Role | undefined): Role {
  return known === undefined ? 'content' : known
}

function membersOf(reader: Reader, schema: JsonObject, depth: number): readonly Role[] {
  const members = Object.entries(propertiesOf(schema))
  const roles = members.map(([name, inner]) =>
    roleInside(reader, inner, roleByName(name), depth - 1),
  )
  // A schema that is open to additional properties may hold a target that it does not list.
  const isComplete = schema['additionalProperties'] === false && members.length > 0
  return isComplete ? roles : [...roles, 'target']
}

const LOCATOR_FORMATS: ReadonlySet<Json> = new Set(
  'uri uri-reference uri-template iri iri-reference url hostname idn-hostname ipv4 ipv6'.split(' '),
)
const TARGET_FORMATS: ReadonlySet<Json> = new Set(['email', 'idn-email', 'uuid'])

function roleOfValue(schema: JsonObject, known: Role = 'target'): Role {
  const { type, format = null } = schema
  if (isChoice(schema)) return 'target'
  if (type === 'number' || type === 'integer') return known === 'locator' ? 'target' : known
  if (LOCATOR_FORMATS.has(format)) return 'locator'
  return TARGET_FORMATS.has(format) ? stricter('target', known) : known
}

function isChoice(schema: JsonObject): boolean {
  return schema['type'] === 'boolean' || 'enum' in schema || 'const' in schema
}

function isList(schema: JsonObject): boolean {
  return typesOf(schema).includes('array') || 'items' in schema
}

function isObject(schema: JsonObject): boolean {
  return typesOf(schema).includes('object') || 'properties' in schema
}

function typesOf({ type }: JsonObject): readonly Json[] {
  return Array.isArray(type) ? (type as readonly Json[]) : [type ?? null]
}

export function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {}
}

/** Resolves references within the same schema only (JSON Pointer, RFC 6901); fetches nothing. */
export function resolveRef(root: JsonObject, ref: string): Json {
  if (!ref.startsWith('#')) return null
  let found: Json = root
  for (const step of ref.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isJsonObject(found) || !Object.hasOwn(found, name)) return null
    found = found[name] ?? null
  }
  return found
}

function stricter(a: Role, b: Role | undefined): Role {
  return b === undefined ? a : later(ROLES, a, b)
}

function strictest(roles: readonly Role[]): Role {
  return roles.reduce((a, b) => later(ROLES, a, b), 'content')
}
