/**
 * The tokens that a list of tools costs a client's model, with and without search, over the real lists where they are
 * present; and the processor time of `find_tools` among 10,000 tools of 20 servers, through the gateway's own tools.
 */
import { createSession } from '../src/gateway/client-session.ts'
import { createClientViews, tokensOf } from '../src/gateway/client-views.ts'
import { FLOW_GUIDE } from '../src/gateway/flow-guide.ts'
import { createOffer } from '../src/gateway/offered-tools.ts'
import { createOwnTools, type OwnTools } from '../src/gateway/own-tools.ts'
import type { ToolDescription } from '../src/kernel/server-state.ts'
import type { GatewayClient } from '../src/ports/client-port.ts'
import { estimateTokens } from '../src/text/estimate-tokens.ts'
import {
  indexOfStrangers,
  type ListedTools,
  readListedTools,
  readQueries,
} from '../test/fixtures/tool-queries.ts'
import { measureTask } from './gateway-task.ts'
import { type BenchReport, quantile } from './report.ts'

const SERVERS = 20
const TOOLS_EACH = 500
const ROUNDS = 5
const CLIENT: GatewayClient = { name: 'bench', taint: 'ask', createdAt: '' }

export async function run(): Promise<BenchReport> {
  const lists = readListedTools()
  const many = manyTools(lists ?? madeUp())
  const times = await timeSearch(many)
  const cost = lists ? await costOf(lists) : undefined
  const task = await measureTask()
  if (!cost) process.stderr.write('the real lists are not here: only the time is measured\n')
  return {
    figures: [
      {
        name: 'the flow language, told to a model',
        value: estimateTokens(FLOW_GUIDE),
        unit: 'tokens',
      },
      { name: 'find_tools among 10,000 tools, p50', value: quantile(times, 0.5), unit: 'ms CPU' },
      { name: 'a task of three calls, one by one', value: task.plain, unit: 'tokens' },
      { name: 'the same task as one run_flow', value: task.flow, unit: 'tokens' },
      ...(cost
        ? [
            {
              name: `list of ${cost.tools} tools of ${cost.servers} servers`,
              value: cost.list,
              unit: 'tokens',
            },
            { name: 'search in its place', value: cost.search, unit: 'tokens' },
            { name: 'the longest list of one server', value: cost.longest, unit: 'tokens' },
          ]
        : []),
    ],
    bars: [
      {
        name: 'find_tools among 10,000 tools, p95',
        value: quantile(times, 0.95),
        unit: 'ms CPU',
        kind: 'most',
        limit: 15,
      },
      {
        name: 'the flow language, told to a model',
        value: estimateTokens(FLOW_GUIDE),
        unit: 'tokens',
        kind: 'most',
        limit: 600,
      },
      ...(cost
        ? [
            {
              name: 'search, of the full list',
              value: (100 * cost.search) / cost.list,
              unit: '%',
              kind: 'most',
              limit: 2,
            } as const,
          ]
        : []),
    ],
  }
}

async function costOf(lists: ListedTools) {
  const { own, views } = gatewayOver(lists)
  const offered = await views.offered(createSession(CLIENT))
  const byServer = Map.groupBy(offered.values(), ({ id }) => id.server)
  const each = [...byServer.values()].map((tools) => tokensOf(tools.map((one) => one.definition)))
  return {
    tools: offered.size,
    servers: byServer.size,
    list: each.reduce((sum, one) => sum + one, 0),
    longest: Math.max(...each),
    search: tokensOf(own.searchList),
  }
}

/** Milliseconds of processor time for each search. */
async function timeSearch(lists: ListedTools): Promise<readonly number[]> {
  const { own } = gatewayOver(lists)
  const queries = readQueries().map(({ query }) => query)
  await search(own, 'warm up')
  const times: number[] = []
  for (const query of Array.from({ length: ROUNDS }, () => queries).flat()) {
    const before = process.cpuUsage()
    await search(own, query)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  return times
}

async function search(own: OwnTools, query: string): Promise<void> {
  const session = createSession(CLIENT)
  const tool = await own.find(session, 'find_tools')
  const { signal } = new AbortController()
  const callOffered = async () => ({})
  await tool?.call({ session, args: { query, limit: 10 }, callOffered, leave: signal, signal })
}

/** The gateway's own parts, in front of the index as the program builds it. No server runs. */
function gatewayOver(lists: ListedTools) {
  const toolIndex = indexOfStrangers(lists)
  const servers = {
    firstTools: async () => undefined,
    tools: async (server: string) =>
      (lists.get(server) ?? []) as unknown as readonly ToolDescription[],
  }
  const views = createClientViews({
    offer: createOffer({ toolIndex, servers }),
    clients: { find: () => CLIENT },
    contexts: { membersOf: async () => [] },
    kinds: [],
  })
  const flows = { saved: async () => [] } as unknown as Parameters<
    typeof createOwnTools
  >[0]['flows']
  return { views, own: createOwnTools({ views, toolIndex, flows, log: { warn: () => undefined } }) }
}

/** The real tools over and over, each copy under a name of its own. */
function manyTools(lists: ListedTools): ListedTools {
  const all = [...lists.values()].flat()
  const servers = Array.from({ length: SERVERS }, (_, server): [string, typeof all] => {
    const tools = Array.from({ length: TOOLS_EACH }, (_one, at) => {
      const number = server * TOOLS_EACH + at
      const tool = all[number % all.length] as (typeof all)[number]
      return {
        ...tool,
        name: `${tool.name.slice(0, 40)}_${Math.floor(number / all.length)}`,
      }
    })
    return [`server-${server}`, tools]
  })
  return new Map(servers)
}

function madeUp(): ListedTools {
  const tools = ['list', 'get', 'create', 'update', 'delete', 'search', 'send', 'share'].map(
    (verb) => ({
      name: `${verb}_thing`,
      description: `To ${verb} things`,
      inputSchema: { type: 'object' },
    }),
  )
  return new Map([['things', tools as unknown as NonNullable<ReturnType<ListedTools['get']>>]])
}
