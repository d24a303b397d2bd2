/**
 * Reads a server's list of resources, templates or prompts, page by page, within bounds. An item that has no usable name,
 * or the name of an earlier one, is left out; of an item only the members that MCP knows are kept.
 */
import type { ListKind } from '../../ports/feature-port.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { cutText, seenLine } from '../../text/untrusted-text.ts'
import { cleanJson, isJsonObject, OutOfBounds } from './json-bounds.ts'

const MAX_PAGES = 64
const MAX_ITEMS = 10_000
const MAX_SIZE = 16 * 2 ** 20
const MAX_TEXT = 2000

interface ListFacts {
  readonly method: string
  /** The member of the answer that holds the list. */
  readonly member: string
  /** The member of an item by which it is called. */
  readonly key: string
  readonly longestKey: number
}

const LISTS: Readonly<Record<ListKind, ListFacts>> = {
  resources: { method: 'resources/list', member: 'resources', key: 'uri', longestKey: 8192 },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    longestKey: 8192,
  },
  prompts: { method: 'prompts/list', member: 'prompts', key: 'name', longestKey: 200 },
}

type Ask = (method: string, params: JsonObject) => Promise<unknown>

export async function readFeatureList(
  kind: ListKind,
  ask: Ask,
  clean: (text: string) => string,
): Promise<readonly JsonObject[]> {
  const facts = LISTS[kind]
  const items = new Map<string, JsonObject>()
  let cursor: string | undefined
  let left = MAX_SIZE
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ask(facts.method, cursor === undefined ? {} : { cursor })
    const { list, next } = pageIn(answer, facts)
    const cleaned = cleanJson(list, clean, left) as readonly Json[]
    left -= JSON.stringify(cleaned).length
    for (const item of cleaned.flatMap((value) => itemOf(value, facts))) {
      const key = item[facts.key] as string
      if (!items.has(key)) items.set(key, item)
    }
    if (items.size > MAX_ITEMS) throw new OutOfBounds(`has more than ${MAX_ITEMS} entries`)
    if (next === undefined) return [...items.values()]
    cursor = next
  }
  throw new OutOfBounds(`has more than ${MAX_PAGES} pages`)
}

function pageIn(
  answer: unknown,
  { member }: ListFacts,
): { readonly list: Json; readonly next: string | undefined } {
  const list = isJsonObject(answer) ? answer[member] : undefined
  if (!isJsonObject(answer) || !Array.isArray(list)) throw new OutOfBounds('holds no list')
  const next = answer['nextCursor']
  return { list: list as Json, next: typeof next === 'string' ? next : undefined }
}

const TEXTS = ['name', 'title', 'description', 'mimeType'] as const

/** None if its key could not be shown on one line, or holds characters that cannot be seen. */
function itemOf(value: Json, { key, longestKey }: ListFacts): readonly JsonObject[] {
  const named = isJsonObject(value) ? value[key] : undefined
  if (!isJsonObject(value) || typeof named !== 'string' || named === '') return []
  const hasSpace = key !== 'name' && /\s/.test(named)
  if (hasSpace || seenLine(named, longestKey) !== named) return []
  const texts = TEXTS.flatMap((member) => {
    const text = value[member]
    return typeof text === 'string' ? [[member, cutText(text, MAX_TEXT)] as const] : []
  })
  return [
    { ...Object.fromEntries(texts), ...moreOf(value), [key]: named, ...argumentsIn(key, value) },
  ]
}

function moreOf({ size, annotations, _meta }: JsonObject): JsonObject {
  return {
    ...(typeof size === 'number' && { size }),
    ...(isJsonObject(annotations) && { annotations }),
    ...(isJsonObject(_meta) && { _meta }),
  }
}

/** Only prompts, which are called by their name, take arguments. */
function argumentsIn(key: string, { arguments: list }: JsonObject): JsonObject {
  return key === 'name' ? { arguments: argumentsOf(list) } : {}
}

const MOST_ARGUMENTS = 100

function argumentsOf(list: Json | undefined): readonly JsonObject[] {
  const all = Array.isArray(list) ? (list as readonly Json[]) : []
  return all.slice(0, MOST_ARGUMENTS).flatMap((value) => {
    if (!isJsonObject(value) || typeof value['name'] !== 'string') return []
    const { name, title, description, required } = value
    return [
      {
        name: seenLine(name, 200),
        ...(typeof title === 'string' && { title: cutText(title, MAX_TEXT) }),
        ...(typeof description === 'string' && { description: cutText(description, MAX_TEXT) }),
        ...(required === true && { required }),
      },
    ]
  })
}
