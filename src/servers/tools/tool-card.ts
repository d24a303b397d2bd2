/**
 * Builds the description of a tool that a planner may read. For an untrusted server it contains only the names that a
 * call needs: no description, title, default, example, pattern or enum value of the server. Pure.
 */
import type { Effect } from '../../kernel/effect.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { Role } from '../../kernel/tool-facts.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { CardArgument, ToolCard } from '../../ports/tool-view.ts'
import type { ManifestTool } from '../life/manifest.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { propertiesOf } from './argument-roles.ts'
import { nameTokens } from '../../text/name-tokens.ts'

const MAX_SUMMARY = 200
const MAX_TITLE = 60
const MAX_ARGUMENTS = 40
const MAX_CHOICES = 20
const MAX_CHOICE = 40

export interface CardFacts {
  readonly id: ToolId
  readonly tool: ManifestTool
  readonly effect: Effect
  readonly claims?: 'read' | undefined
  readonly roles: ReadonlyMap<string, { readonly role: Role }>
  readonly isVouchedFor: boolean
  /** The description by the catalog or the owner. */
  readonly description: string | undefined
}

export function cardOf(facts: CardFacts): ToolCard {
  const { id, tool, effect, claims, isVouchedFor } = facts
  const args = argumentsOf(facts)
  const vouched = isVouchedFor ? firstSentence(tool.description) : undefined
  const summary = facts.description ?? vouched ?? summaryFrom(id.name, args)
  return {
    id,
    // Never the server's own title, which is not pinned.
    title: seenLine(titleFrom(id.name), MAX_TITLE),
    summary: seenLine(summary, MAX_SUMMARY - 1),
    effect,
    ...(claims && { claims }),
    args,
    ...outputsOf(tool),
  }
}

/** Arguments with other names are left out of the card: such a name could be a whole sentence for the planner. */
const PLAIN_NAME = /^[\w.$-]{1,64}$/

function argumentsOf({ tool, roles, isVouchedFor }: CardFacts): readonly CardArgument[] {
  const { inputSchema } = tool
  const required = new Set<Json>(listOf(inputSchema['required']))
  return Object.entries(propertiesOf(inputSchema))
    .filter(([name]) => PLAIN_NAME.test(name))
    .slice(0, MAX_ARGUMENTS)
    .map(([name, schema]) => ({
      name,
      type: typeOf(schema),
      isRequired: required.has(name),
      role: roles.get(name)?.role ?? 'target',
      ...(isVouchedFor && choicesOf(schema)),
    }))
}

const MAX_OUTPUTS = 20
const MAX_DEPTH = 3
/** As references of a plan spell names. */
const PATH_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** By the output schema, of which no word but plain names is taken. */
function outputsOf({ outputSchema }: ManifestTool): Pick<ToolCard, 'outputs'> {
  const paths = outputSchema ? pathsIn(outputSchema, '', MAX_DEPTH).slice(0, MAX_OUTPUTS) : []
  return paths.length > 0 ? { outputs: paths } : {}
}

/** The leaves; a list is followed by the members of its items: `items[].id`. */
function pathsIn(schema: Json, path: string, depth: number): readonly string[] {
  if (!isJsonObject(schema)) return path === '' ? [] : [path]
  const { items } = schema
  const isList = typesOf(schema).includes('array') && isJsonObject(items)
  const [inside, place] = isList ? [items, `${path}[]`] : [schema, path]
  const members = Object.entries(propertiesOf(inside)).filter(([name]) => PATH_NAME.test(name))
  if (members.length === 0 || depth === 0) return path === '' ? [] : [place]
  return members
    .slice(0, MAX_OUTPUTS)
    .flatMap(([name, member]) =>
      pathsIn(member, place === '' ? name : `${place}.${name}`, depth - 1),
    )
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

function typeOf(schema: Json): string {
  if (!isJsonObject(schema)) return 'any'
  const types = typesOf(schema).map((type) => (type === 'array' ? `${itemTypeOf(schema)}[]` : type))
  return types.length === 0 ? 'any' : types.join('|')
}

/** Keeps only type names of JSON Schema itself. */
function typesOf({ type }: JsonObject): readonly string[] {
  const named = Array.isArray(type) ? (type as readonly Json[]) : [type ?? null]
  return TYPES.filter((known) => named.includes(known))
}

function itemTypeOf({ items }: JsonObject): string {
  const [type] = isJsonObject(items) ? typesOf(items) : []
  return type === undefined || type === 'array' ? 'any' : type
}

function choicesOf(schema: Json): Pick<CardArgument, 'choices'> {
  const listed = isJsonObject(schema) ? listOf(schema['enum']) : []
  const choices = listed.filter((choice) => typeof choice === 'string')
  if (choices.length === 0 || choices.length > MAX_CHOICES) return {}
  return { choices: choices.map((choice) => seenLine(choice, MAX_CHOICE)) }
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

function titleFrom(name: string): string {
  const words = nameTokens(name).join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `search files: takes path, pattern`. */
function summaryFrom(name: string, args: readonly CardArgument[]): string {
  const words = nameTokens(name).join(' ')
  const names = args.map((arg) => arg.name).join(', ')
  return names === '' ? words : `${words}: takes ${names}`
}

/** Undefined if the description is empty. */
function firstSentence(text: string | undefined): string | undefined {
  const line = seenLine(text ?? '', 2 * MAX_SUMMARY)
  const end = /[.!?](?=\s)/.exec(line)
  const sentence = end ? line.slice(0, end.index + 1) : line
  return sentence === '' ? undefined : sentence
}
