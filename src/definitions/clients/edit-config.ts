/**
 * The text of a client's configuration: its servers with their places, and the same text with servers taken out and
 * put in. A text whose edit would say anything else than was meant is refused, never written.
 */
import { isDeepStrictEqual } from 'node:util'
import { CordonError } from '../../kernel/error.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { JsonMistake, parseLenientJson } from '../import/lenient-json.ts'
import { isObject, objectOf } from '../import/server-draft.ts'
import { editToml, readToml } from '../toml-file.ts'
import type { ClientConfig } from './client-configs.ts'
import { type JsonPath, putMember, removeMember } from './put-member.ts'

/** One entry of the file, with the keys that lead to it. */
export interface ConfigEntry {
  readonly place: JsonPath
  readonly name: string
  readonly entry: JsonObject
}

export interface ConfigEdit {
  readonly remove: readonly JsonPath[]
  readonly put: readonly { readonly place: JsonPath; readonly entry: JsonObject }[]
}

type Shape = Pick<ClientConfig, 'format' | 'key' | 'name'>

/** The entries of the client's own table, and those of its projects. */
export function entriesIn(config: Shape, text: string): readonly ConfigEntry[] {
  const root = objectOf(parseConfig(config, text))
  const { key } = config
  const tables: readonly JsonPath[] = [
    [key],
    ...Object.keys(objectOf(root['projects'])).map((project) => ['projects', project, key]),
  ]
  return tables.flatMap((path) =>
    Object.entries(objectOf(valueAt(root, path)))
      .filter((pair): pair is [string, JsonObject] => isObject(pair[1]))
      .map(([name, entry]) => ({ place: [...path, name], name, entry })),
  )
}

export function editConfig(config: Shape, text: string, edit: ConfigEdit): string {
  const before = objectOf(parseConfig(config, text))
  const wanted = intended(before, edit)
  const edited = config.format === 'toml' ? editToml(text, wanted) : editJson(text, edit)
  if (isDeepStrictEqual(parseConfig(config, edited), wanted)) return edited
  throw new CordonError(
    'clients.edit',
    { exit: 2, hint: 'Write every name in it once, or add Cordon by hand: `cordon client add`' },
    `Cannot change the configuration of ${config.name}: its text would not say what was meant`,
  )
}

function editJson(text: string, { remove, put }: ConfigEdit): string {
  const without = remove.reduce(removeMember, text)
  return put.reduce((result, { place, entry }) => putMember(result, place, entry), without)
}

function intended(before: JsonObject, { remove, put }: ConfigEdit): JsonObject {
  const without = remove.reduce((root, place) => withValue(root, place, undefined), before)
  return put.reduce((root, { place, entry }) => withValue(root, place, entry), without)
}

export function valueAt(root: Json | undefined, path: JsonPath): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  )
}

function withValue(root: JsonObject, path: JsonPath, value: Json | undefined): JsonObject {
  const [key = '', ...deeper] = path
  if (deeper.length === 0) {
    const { [key]: _old, ...rest } = root
    return value === undefined ? rest : { ...root, [key]: value }
  }
  const inside = objectOf(root[key])
  if (value === undefined && !isObject(root[key])) return root
  return { ...root, [key]: withValue(inside, deeper, value) }
}

export function parseConfig({ format, name }: Shape, text: string): Json {
  if (text.trim() === '') return {}
  if (format === 'toml') {
    const reading = readToml(text)
    if (reading.kind === 'table') return reading.table as JsonObject
    throw unreadable(name, reading.line, reading.message)
  }
  try {
    return parseLenientJson(text)
  } catch (error) {
    if (error instanceof JsonMistake) throw unreadable(name, error.line, error.message)
    throw error
  }
}

function unreadable(name: string, line: number, message: string): CordonError {
  return new CordonError(
    'clients.config',
    { exit: 2, hint: 'Correct the file at that line, then try again' },
    `Cannot read the configuration of ${name}: line ${line}: ${message}`,
  )
}
