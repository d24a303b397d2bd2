/**
 * Arguments of a tool call as a person types them: `key=value`, `--key value`, `--flag`, or one JSON object. The tool's
 * own schema decides what a word means: `5` is a text for a text. Pure; quotes no value in a problem, it may be a secret.
 */
import type { Json, JsonObject } from './json.ts'

export interface CallWord {
  readonly text: string
  /** The value stood in quotes: it is a text, whatever it looks like, where the tool takes one. */
  readonly isQuoted?: boolean
}

export type CallArguments =
  | { readonly kind: 'read'; readonly args: Readonly<Record<string, Json>> }
  | { readonly kind: 'unreadable'; readonly what: string }

interface Given {
  readonly name: string
  /** Undefined for a flag without a value. */
  readonly value?: CallWord
}

const PAIR = /^([\p{L}_$][\p{L}\p{N}_$.-]*)=([^]*)$/u
const FLAG = /^--([\p{L}_$][\p{L}\p{N}_$.-]*)(?:=([^]*))?$/u

/** `expand` is applied to every text that was typed without quotes, outside a JSON object. */
export function readCallArguments(
  words: readonly CallWord[],
  schema: JsonObject | undefined,
  expand: (text: string) => string = (text) => text,
): CallArguments {
  const [first] = words
  if (words.length === 1 && first && /^\s*\{/.test(first.text)) return readObject(first.text)
  const given: Given[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as CallWord
    const next = readWord(word, words[at + 1], schema)
    if (!next) return unreadable('one of the words is no argument')
    if (next.usesFollowing) at += 1
    given.push(next)
  }
  return { kind: 'read', args: gather(given, schema, expand) }
}

function readObject(text: string): CallArguments {
  try {
    const args = JSON.parse(text) as Readonly<Record<string, Json>>
    return { kind: 'read', args }
  } catch {
    return unreadable('they are not one JSON object')
  }
}

function unreadable(what: string): CallArguments {
  return { kind: 'unreadable', what }
}

type ReadWord = Given & { readonly usesFollowing?: boolean }

function readWord(
  word: CallWord,
  following: CallWord | undefined,
  schema: JsonObject | undefined,
): ReadWord | undefined {
  const { isQuoted = false } = word
  const [, key, value] = FLAG.exec(word.text) ?? PAIR.exec(word.text) ?? []
  if (key === undefined) return undefined
  const name = declaredName(key, schema)
  if (value !== undefined) return { name, value: { text: value, isQuoted } }
  return flagAlone(name, following, schema)
}

function flagAlone(
  name: string,
  following: CallWord | undefined,
  schema: JsonObject | undefined,
): ReadWord {
  if (!following || FLAG.test(following.text) || isSwitch(name, following, schema)) return { name }
  return { name, value: following, usesFollowing: true }
}

/** A flag of type boolean takes a word only if it is `true` or `false`. */
function isSwitch(name: string, following: CallWord, schema: JsonObject | undefined): boolean {
  return (
    typesOf(propertyOf(name, schema)).includes('boolean') &&
    !/^(?:true|false)$/.test(following.text)
  )
}

/** `max-results` means `max_results` or `maxResults` where the tool declares that. */
function declaredName(typed: string, schema: JsonObject | undefined): string {
  const names = declaredArguments(schema)
  if (names.includes(typed)) return typed
  const fold = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '')
  const alike = names.filter((name) => fold(name) === fold(typed))
  return alike.length === 1 ? (alike[0] ?? typed) : typed
}

export function declaredArguments(schema: JsonObject | undefined): readonly string[] {
  const properties = schema?.['properties']
  return isObject(properties) ? Object.keys(properties) : []
}

type Expand = (text: string) => string

function gather(
  given: readonly Given[],
  schema: JsonObject | undefined,
  expand: Expand,
): Record<string, Json> {
  const members = new Map<string, Json>()
  for (const { name, value } of given) {
    const property = propertyOf(name, schema)
    const now = value ? valueOf(value, property, expand) : true
    const before = members.get(name)
    const isRepeated = Array.isArray(before) && Array.isArray(now) && isList(property)
    members.set(
      name,
      isRepeated ? [...(before as readonly Json[]), ...(now as readonly Json[])] : now,
    )
  }
  return Object.fromEntries(members)
}

function valueOf(word: CallWord, property: JsonObject | undefined, expand: Expand): Json {
  const { text, isQuoted = false } = word
  if (isList(property) && !/^\s*\[/.test(text)) {
    const items = property?.['items']
    return [valueOf(word, isObject(items) ? items : undefined, expand)]
  }
  if (isQuoted && mayBeText(property)) return text
  const value = isText(text, property) ? text : jsonOr(text)
  return value === text ? expand(text) : value
}

/** Quotes around a list or an object are those of a shell, in which it would stand so. */
function mayBeText(property: JsonObject | undefined): boolean {
  const types = typesOf(property)
  return types.length === 0 || types.includes('string')
}

/** The property takes texts only, or this is no `null`. */
function isText(text: string, property: JsonObject | undefined): boolean {
  const others = typesOf(property).filter((type) => type !== 'string')
  if (!typesOf(property).includes('string')) return false
  return others.length === 0 || (others.every((type) => type === 'null') && text !== 'null')
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function isList(property: JsonObject | undefined): boolean {
  const types = typesOf(property)
  return types.includes('array') && !types.includes('string')
}

function propertyOf(name: string, schema: JsonObject | undefined): JsonObject | undefined {
  const properties = schema?.['properties']
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined
  const property = properties[name]
  return isObject(property) ? property : undefined
}

/** The JSON types of a property; empty if its schema does not say. */
export function typesOf(property: JsonObject | undefined): readonly string[] {
  const type = property?.['type']
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  return types.filter((one) => typeof one === 'string')
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
