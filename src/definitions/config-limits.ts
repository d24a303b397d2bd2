/**
 * `[limits]` in `config.toml`: the owner's limits for all servers, each unless the server's own file sets it. A mistake
 * is reported with its line and leaves that limit at its default; it never keeps a server from loading.
 */
import { readFileSync } from 'node:fs'
import type { DefinitionProblem, ServerDefinition } from '../kernel/server-definition.ts'
import { closestNames } from '../text/closest-names.ts'
import { createFileStamp } from './file-stamp.ts'
import {
  LIMIT_KEYS,
  type LimitKey,
  type LimitName,
  readCount,
  type ServerLimits,
  type SetLimit,
} from '../text/server-limits.ts'
import { decodeUtf8, readPlainFile } from './definition-folder.ts'
import { lineOfKey } from './line-of-key.ts'
import { isTable, readToml } from './toml-file.ts'

export interface ConfigLimits {
  readonly limits: ServerLimits
  /** How many servers run at once; absent: the default. */
  readonly maxRunning?: number
  readonly problems: readonly DefinitionProblem[]
}

/** Every running server is a process or more. */
const MOST_RUNNING = 100
const SERVERS = 'servers'
const KEYS: ReadonlyMap<string, LimitKey> = new Map(Object.entries(LIMIT_KEYS))

export async function readConfigLimits(path: string): Promise<ConfigLimits> {
  const content = await readPlainFile(path)
  if (content === undefined) return { limits: {}, problems: [] }
  const text = typeof content === 'string' ? undefined : decodeUtf8(content)
  if (text === undefined) {
    const message = typeof content === 'string' ? content : 'expected UTF-8 text'
    return { limits: {}, problems: [{ path, message }] }
  }
  return limitsIn(path, text)
}

/** The definition with the limits of `config.toml` where its own file sets none. */
export function withConfigLimits(
  definition: ServerDefinition,
  { limits: configured }: Pick<ConfigLimits, 'limits'>,
): ServerDefinition {
  const limits = { ...configured, ...definition.limits }
  if (Object.keys(limits).length === 0) return definition
  const memoryLimitBytes = limits.memoryBytes?.value ?? definition.sandbox.memoryLimitBytes
  return { ...definition, limits, sandbox: { ...definition.sandbox, memoryLimitBytes } }
}

/** Says what `[limits]` is now: another text after every change of it. Synchronous, since every call asks. */
export function createLimitsStamp(path: string): () => string {
  const fileStamp = createFileStamp(path)
  let seen = { file: '', stamp: '' }
  return () => {
    const file = fileStamp()
    if (file !== seen.file) seen = { file, stamp: tableText(path) }
    return seen.stamp
  }
}

function limitsIn(path: string, text: string): ConfigLimits {
  const toml = readToml(text)
  if (toml.kind === 'mistake') {
    return { limits: {}, problems: [{ path, line: toml.line, message: toml.message }] }
  }
  const { limits: table = {} } = toml.table
  if (!isTable(table)) {
    return { limits: {}, problems: [problemAt(path, text, ['limits'], 'expected a table')] }
  }
  const read = Object.entries(table).map(([key, value]) => ({ key, ...readKey(key, value) }))
  const limits = read.flatMap(({ limit }) => (limit ? [limit] : []))
  const maxRunning = read.find((one) => one.maxRunning !== undefined)?.maxRunning
  return {
    limits: Object.fromEntries(limits),
    ...(maxRunning !== undefined && { maxRunning }),
    problems: read.flatMap(({ key, mistake }) =>
      mistake === undefined ? [] : [problemAt(path, text, ['limits', key], mistake)],
    ),
  }
}

interface ReadKey {
  readonly limit?: readonly [LimitName, SetLimit]
  readonly maxRunning?: number
  readonly mistake?: string
}

function readKey(key: string, value: unknown): ReadKey {
  if (key === SERVERS) {
    const maxRunning = readCount(value, 1, MOST_RUNNING)
    return maxRunning === undefined ? { mistake: COUNT } : { maxRunning }
  }
  const known = KEYS.get(key)
  if (!known) return { mistake: unknownKey(key) }
  const read = known.read(value)
  return read === undefined
    ? { mistake: known.expected }
    : { limit: [known.name, { value: read, from: 'config' }] }
}

const COUNT = `expected a whole number from 1 to ${MOST_RUNNING}`

function unknownKey(key: string): string {
  const [guess] = closestNames(key, [...Object.keys(LIMIT_KEYS), SERVERS])
  return `unknown field, ${guess === undefined ? 'it has no effect' : `did you mean ${JSON.stringify(guess)}?`}`
}

function problemAt(
  path: string,
  text: string,
  key: readonly string[],
  message: string,
): DefinitionProblem {
  const line = lineOfKey(text, key)
  return { path, message: `${key.join('.')}: ${message}`, ...(line !== undefined && { line }) }
}

function tableText(path: string): string {
  try {
    const toml = readToml(readFileSync(path, 'utf8'))
    return toml.kind === 'table' ? JSON.stringify(toml.table['limits'] ?? {}) : 'mistake'
  } catch {
    return '{}'
  }
}
