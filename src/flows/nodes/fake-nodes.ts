/** Fake nodes for tests: tools of GitHub, Slack, mail and a calendar, with the facts that the host would know. */
import type { Effect } from '../../kernel/effect.ts'
import type { JsonObject } from '../../text/json.ts'
import type { Label, Level } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import { factsOf } from '../../kernel/test-facts.ts'
import type { Blocked, Role } from '../../kernel/tool-facts.ts'
import { BUILT_IN_NODES } from './built-in-nodes.ts'
import { descriptorFor } from './describe-tool.ts'
import { createNodeIndex, type KnownNode, type NodeIndex } from './node-index.ts'

export interface FakeTool {
  readonly server: string
  readonly name: string
  readonly effect: Effect
  readonly inputSchema?: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
  readonly roles?: Readonly<Record<string, Role>>
  readonly level?: Level
  /** Fields of `items[*]` that the server itself writes, such as ids. */
  readonly own?: readonly string[]
  readonly blocked?: Blocked
  readonly hash?: string
}

export function theirs(server: string, level: Level = 'internal'): Label {
  return { integrity: 'external', level, origins: new Set([server]) }
}

export function fakeNode(tool: FakeTool): KnownNode {
  const { server, name, effect, blocked, level = 'internal' } = tool
  const hash = tool.hash ?? `hash-of-${server}.${name}`
  const description: ToolDescription = {
    name,
    inputSchema: tool.inputSchema ?? { type: 'object' },
    ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
    ...(tool.annotations && { annotations: tool.annotations }),
    hash,
    quarantined: blocked === 'quarantined',
  }
  const facts = factsOf({
    id: { server: parseServerId(server), name },
    serverName: server.charAt(0).toUpperCase() + server.slice(1),
    ...(blocked && { blocked }),
    effect,
    roles: new Map(Object.entries(tool.roles ?? {})),
    hash,
    serverPin: `pin-of-${server}`,
  })
  return { descriptor: descriptorFor(description, facts), facts, answers: answersOf(tool, level) }
}

/** Every field is `external`, except the fields in `own`, which have the integrity `system`. */
function answersOf({ server, own = [] }: FakeTool, level: Level): LabelTree {
  const label = theirs(server, level)
  const mine: Label = { ...label, integrity: 'system' }
  const item: LabelTree = { label, members: new Map(own.map((name) => [name, { label: mine }])) }
  return { label, members: new Map([['items', { label, each: item }]]) }
}

const TEXT = { type: 'string' } as const

export const TOOLS: readonly FakeTool[] = [
  {
    server: 'github',
    name: 'search_code',
    effect: 'remote-read',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for' },
        language: TEXT,
        max_results: { type: 'integer', default: 10 },
      },
      required: ['query'],
    },
    roles: { query: 'query' },
  },
  {
    server: 'slack',
    name: 'send_message',
    effect: 'write',
    inputSchema: {
      type: 'object',
      properties: { message: TEXT, channel: TEXT, limit: { type: ['integer', 'null'] } },
      required: ['message', 'channel'],
    },
    outputSchema: { type: 'object', properties: { message_id: TEXT } },
    roles: { message: 'content' },
  },
  {
    server: 'mail',
    name: 'list',
    effect: 'remote-read',
    inputSchema: { type: 'object', properties: { folder: { type: 'string', default: 'inbox' } } },
    outputSchema: {
      type: 'object',
      properties: {
        items: { type: 'array', items: { type: 'object' } },
        total: { type: 'integer' },
      },
    },
    level: 'sensitive',
    own: ['id', 'received'],
  },
  {
    server: 'mail',
    name: 'delete',
    effect: 'destructive',
    inputSchema: { type: 'object', properties: { id: TEXT }, required: ['id'] },
  },
  {
    server: 'calendar',
    name: 'is_free',
    effect: 'remote-read',
    inputSchema: { type: 'object', properties: { day: TEXT }, required: ['day'] },
    outputSchema: { type: 'object', properties: { free: { type: 'boolean' } } },
  },
  {
    server: 'calendar',
    name: 'create_event',
    effect: 'write',
    inputSchema: {
      type: 'object',
      properties: { title: TEXT, day: TEXT },
      required: ['title', 'day'],
    },
    roles: { title: 'content' },
  },
]

export function fakeNodes(tools: readonly FakeTool[] = TOOLS): NodeIndex {
  return createNodeIndex([
    ...BUILT_IN_NODES.map((descriptor) => ({ descriptor })),
    ...tools.map(fakeNode),
  ])
}
