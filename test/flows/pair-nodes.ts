/**
 * Every node that can stand in a pair: what is built in, and the tools of the embedded servers with the schemas that the
 * real servers give. Values are made at random by schema or by type.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Json, JsonObject } from '../../src/text/json.ts'
import { fakeNode } from '../../src/flows/nodes/fake-nodes.ts'
import type { KnownNode } from '../../src/flows/nodes/node-index.ts'
import { isObject } from '../../src/flows/language/value-type.ts'
import { root } from '../fixtures/cordon.ts'

const SERVERS = ['filesystem', 'memory', 'sequential-thinking', 'everything'] as const

export interface EmbeddedTool {
  readonly node: KnownNode
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
}

export async function embeddedTools(folder: string): Promise<readonly EmbeddedTool[]> {
  return (await Promise.all(SERVERS.map((server) => toolsOf(server, folder)))).flat()
}

interface ListedTool {
  readonly name: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
}

async function toolsOf(server: string, folder: string): Promise<readonly EmbeddedTool[]> {
  const entry = path.join(
    root,
    'node_modules/@modelcontextprotocol',
    `server-${server}/dist/index.js`,
  )
  const child = spawn(process.execPath, [entry, ...(server === 'filesystem' ? [folder] : [])], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') },
  })
  const tools = await listTools(child)
  child.kill('SIGKILL')
  return tools.map(({ name, inputSchema, outputSchema }) => {
    const shapes = { inputSchema, ...(outputSchema && { outputSchema }) }
    const roles = Object.fromEntries(
      Object.keys((inputSchema['properties'] ?? {}) as JsonObject).map(
        (key) => [key, 'content'] as const,
      ),
    )
    const node = fakeNode({ server, name, effect: 'remote-read', roles, ...shapes })
    return { node, ...shapes }
  })
}

async function listTools({ stdin, stdout }: ChildProcess): Promise<readonly ListedTool[]> {
  if (!stdin || !stdout) throw new TypeError('its streams are pipes')
  const send = (message: object): void =>
    void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1' }
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  })
  for await (const line of createInterface({ input: stdout })) {
    const { id, result } = JSON.parse(line) as {
      id?: number
      result?: { tools: readonly ListedTool[] }
    }
    if (id === 1) {
      send({ method: 'notifications/initialized' })
      send({ id: 2, method: 'tools/list' })
    }
    if (id === 2 && result) return result.tools
  }
  throw new Error('the server ended')
}

export type Random = () => number

/** At least as many as there are texts, and values of any type. */
export const SWEEP = 10

/** Repeatable (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The first choice goes through all there is, one after the other; the others are random. */
export function sweeping(random: Random, attempt: number): Random {
  let isFirst = true
  return () => {
    if (!isFirst) return random()
    isFirst = false
    return (attempt % SWEEP) / SWEEP
  }
}

export function chosen<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

/** A value that a schema allows; optional members are left out half of the time. */
export function valueBySchema(random: Random, schema: Json | undefined): Json {
  if (!isObject(schema)) return valueOfType(random, 'any')
  const { enum: values, anyOf, oneOf, const: only } = schema
  const parts = anyOf ?? oneOf
  if (only !== undefined) return only
  if (Array.isArray(values)) return chosen<Json>(random, values)
  if (Array.isArray(parts)) return valueBySchema(random, chosen<Json>(random, parts))
  const types = [schema['type'] ?? 'any'].flat().map(String)
  return valueByType(random, types.length === 1 ? String(types[0]) : chosen(random, types), schema)
}

function valueByType(random: Random, type: string, schema: JsonObject): Json {
  if (type === 'array') return [0, 1].map(() => valueBySchema(random, schema['items']))
  if (type === 'object') return objectBySchema(random, schema)
  return schema['minimum'] ?? schema['maximum'] ?? valueOfType(random, type)
}

function objectBySchema(
  random: Random,
  { properties = {}, required = [] }: JsonObject,
): JsonObject {
  const taken = Object.entries(properties as JsonObject).filter(
    ([name]) => (required as readonly string[]).includes(name) || random() < 0.5,
  )
  return Object.fromEntries(taken.map(([name, one]) => [name, valueBySchema(random, one)]))
}

const TEXTS = [
  'hello',
  'one\ntwo',
  '[1, 2]',
  '["a"]',
  '[{"a": 1}]',
  '{"a": 1}',
  '{}',
  '7',
  'true',
  '',
]
const OF_TYPE: Readonly<Record<string, readonly Json[]>> = {
  string: TEXTS,
  number: [1.5, 2],
  integer: [1, 2],
  boolean: [true, false],
  null: [null],
  object: [{ a: 1 }, {}],
  array: [[1, 2], ['a'], [{ a: 1 }], []],
  any: ['hello', '[1]', 1, true, { a: 1 }, [1], ['a'], [{ a: 1 }]],
}

export function valueOfType(random: Random, type: string): Json {
  const types = type.split('|')
  const one = types.length === 1 ? type : chosen(random, types)
  if (one.endsWith('[]')) return [0, 1].map(() => valueOfType(random, one.slice(0, -2)))
  return chosen(random, OF_TYPE[one] ?? OF_TYPE['any'] ?? [])
}
