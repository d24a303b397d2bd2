/**
 * Search instead of a list, for clients that take few tools: find, describe, and three ways to call. There are three so
 * that the client's own permission screen keeps its meaning: a tool that destroys cannot be called as a read. Finds only
 * tools within the client's contexts, in the host's own words.
 */
import { type Effect, isRead } from '../kernel/effect.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import type { CardArgument, ToolCard, ToolIndex } from '../ports/tool-view.ts'
import { closestNames } from '../text/closest-names.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { ClientViews } from './client-views.ts'
import type { Offered, OfferedTool } from './offered-tools.ts'
import { HARMLESS, type OwnCall, type OwnTool } from './own-tool.ts'
import { INVALID_PARAMS, isObject, RpcError } from './rpc-message.ts'
import { failed, text } from './show-call.ts'
import { toolName } from './tool-name.ts'

export interface SearchDeps {
  readonly views: Pick<ClientViews, 'offered' | 'find'>
  readonly toolIndex: Pick<ToolIndex, 'search'>
}

/** From harmless to dangerous. */
const WAYS = ['call_read', 'call_write', 'call_destructive'] as const
type Way = (typeof WAYS)[number]

export function wayOf(effect: Effect): Way {
  if (isRead(effect)) return 'call_read'
  return effect === 'write' ? 'call_write' : 'call_destructive'
}

export function createSearchTools(deps: SearchDeps): readonly OwnTool[] {
  return [
    findTools(deps),
    describeTool(deps),
    callWay(deps, 'call_read', 'Calls a tool that only reads.', HARMLESS),
    callWay(deps, 'call_write', 'Calls a tool that changes something, or only reads.', {
      readOnlyHint: false,
      destructiveHint: false,
    }),
    callWay(deps, 'call_destructive', 'Calls any tool, also one that deletes or runs programs.', {
      readOnlyHint: false,
      destructiveHint: true,
    }),
  ]
}

const MOST_FOUND = 25
const USUALLY_FOUND = 8

function findTools({ views, toolIndex }: SearchDeps): OwnTool {
  const definition = {
    name: 'find_tools',
    description:
      'Finds tools by words for what you want to do, such as "create issue". The answer names each tool, how to call it, and its arguments (* required).',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: MOST_FOUND },
      },
      required: ['query'],
    },
    annotations: HARMLESS,
  }
  return {
    definition,
    async call({ session, args }) {
      const { query, limit = USUALLY_FOUND } = args
      if (typeof query !== 'string' || !Number.isInteger(limit)) {
        throw new RpcError(INVALID_PARAMS, 'find_tools takes a query, and a limit from 1 to 25')
      }
      const most = Math.min(MOST_FOUND, Math.max(1, Number(limit)))
      const offered = await views.offered(session)
      const isOffered = (id: ToolId): boolean => offered.has(toolName(id))
      const found = await toolIndex.search(query, most, isOffered)
      if (found.length === 0) return say(nothingFound(offered))
      return say(found.map(lineOf).join('\n'))
    },
  }
}

function nothingFound(offered: Offered): string {
  const servers = [...new Set([...offered.values()].map(({ id }) => id.server))].slice(0, 50)
  return servers.length === 0
    ? 'This program is offered no tools. The owner can change that with `cordon context`.'
    : `No tool fits these words. Try others, or the name of a server: ${servers.join(', ')}`
}

function lineOf({ id, effect, summary, args }: ToolCard): string {
  return `${toolName(id)} (${wayOf(effect)}) ${summary} [${args.map(argumentOf).join(', ')}]`
}

function argumentOf({ name, type, isRequired }: CardArgument): string {
  return `${name}${isRequired ? '*' : ''}: ${type}`
}

function describeTool({ views }: SearchDeps): OwnTool {
  return {
    definition: {
      name: 'describe_tool',
      description: 'The description and the JSON schema of one tool that find_tools named.',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      annotations: HARMLESS,
    },
    async call({ session, args }) {
      const tool = await findNamed(views, session, args['name'])
      const { server, name } = tool.id
      const uses = { call_with: wayOf(tool.card.effect), in_a_flow: `mcp ${server} ${name}` }
      return say(JSON.stringify({ ...tool.definition, ...uses }))
    },
  }
}

function callWay(
  { views }: SearchDeps,
  name: Way,
  description: string,
  annotations: JsonObject,
): OwnTool {
  return {
    definition: {
      name,
      description: `${description} Find it with find_tools first.`,
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, arguments: { type: 'object' } },
        required: ['name'],
      },
      annotations,
    },
    async call({ session, args, callOffered }) {
      const { name: wanted, arguments: given = {} } = args
      if (!isObject(given)) throw new RpcError(INVALID_PARAMS, 'arguments has to be an object')
      const tool = await findNamed(views, session, wanted)
      const right = wayOf(tool.card.effect)
      if (WAYS.indexOf(right) > WAYS.indexOf(name)) return failed(wrongWay(tool, name, right))
      return await callOffered(tool, given)
    },
  }
}

function wrongWay({ id }: OfferedTool, tried: Way, right: Way): string {
  return `${toolName(id)} does more than ${tried} is for: call it with ${right}. Nothing was done.`
}

async function findNamed(
  views: SearchDeps['views'],
  session: OwnCall['session'],
  name: Json | undefined,
): Promise<OfferedTool> {
  const tool = typeof name === 'string' ? await views.find(session, name) : undefined
  if (tool) return tool
  throw unknownTool(typeof name === 'string' ? name : '', await views.offered(session), session)
}

/** Says the same of a tool outside the client's contexts and of one that does not exist. */
export function unknownTool(
  name: string,
  offered: Offered,
  { client }: Pick<OwnCall['session'], 'client'>,
): RpcError {
  const near = closestNames(name, [...offered.keys()]).slice(0, 3)
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''
  const limit = client.contexts?.length
    ? `. This client is limited to contexts; the owner can add a tool: \`cordon context edit ${client.contexts[0]} --add SERVER.TOOL\``
    : ''
  const tool = JSON.stringify(name.slice(0, 80))
  return new RpcError(INVALID_PARAMS, `There is no tool ${tool} here${hint}${limit}`)
}

function say(words: string): JsonObject {
  return { content: [text(words)] }
}
