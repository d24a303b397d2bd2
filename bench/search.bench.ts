/**
 * How well people find things: services by everyday words (catalog and the official registry's real entries, served on
 * loopback) and tools of servers that nobody vouches for, over the index as the program builds it; and how fast. Where
 * the real lists are not here, only the time is measured, on made-up names.
 */
import { createSearchIndex, type IndexedTool } from '../src/servers/tools/search-index.ts'
import { placeServices, readServiceQueries } from '../test/fixtures/service-queries.ts'
import {
  indexOfStrangers,
  type ListedTools,
  readListedTools,
  readQueries,
  recallAt5,
  type ToolQuery,
} from '../test/fixtures/tool-queries.ts'
import { type Bar, type BenchReport, quantile } from './report.ts'

const MANY = 10_000
const ROUNDS = 5

export async function run(): Promise<BenchReport> {
  const queries = readQueries()
  const lists = readListedTools()
  if (!lists) process.stderr.write('the real lists are not here: only the time is measured\n')
  const { buildMs, times } = measureTimes(lists ? indexedTools(lists) : madeUpTools(), queries)
  return {
    figures: [
      { name: `index of ${MANY} tools, built in`, value: buildMs, unit: 'ms' },
      { name: 'search p50', value: quantile(times, 0.5), unit: 'ms' },
    ],
    bars: [
      {
        name: `search among ${MANY} tools, p95`,
        value: quantile(times, 0.95),
        unit: 'ms',
        kind: 'most',
        limit: 10,
      },
      ...(lists ? [await recallBar(lists, queries)] : []),
      ...(await serviceBars()),
    ],
  }
}

async function recallBar(lists: ListedTools, queries: readonly ToolQuery[]): Promise<Bar> {
  const count = [...lists.values()].reduce((sum, tools) => sum + tools.length, 0)
  return {
    name: `recall@5 of ${queries.length} queries over ${count} tools of strangers`,
    value: 100 * (await recallAt5(indexOfStrangers(lists), queries)),
    unit: '%',
    kind: 'least',
    limit: 90,
  }
}

async function serviceBars(): Promise<readonly Bar[]> {
  const placed = await placeServices(readServiceQueries())
  if (!placed) return []
  for (const { query, place, first } of placed.filter((one) => one.place > 1)) {
    process.stderr.write(`  ${query}: place ${place}, after ${first}\n`)
  }
  const within = (most: number): number => placed.filter(({ place }) => place <= most).length
  const of = `of ${placed.length} searches for a service`
  const bar = { unit: 'searches', kind: 'least' } as const
  return [
    { name: `wanted answer first, ${of}`, value: within(1), limit: 34, ...bar },
    { name: `wanted answer among ten, ${of}`, value: within(10), limit: 38, ...bar },
  ]
}

function indexedTools(lists: ListedTools): readonly IndexedTool[] {
  return [...lists].flatMap(([server, tools]) =>
    tools.map(({ name, description }) => ({
      server,
      name,
      text: typeof description === 'string' ? description : '',
    })),
  )
}

function madeUpTools(): readonly IndexedTool[] {
  const verbs = ['list', 'get', 'create', 'update', 'delete', 'search', 'send', 'share']
  const nouns = ['file', 'page', 'event', 'issue', 'message', 'contact', 'record', 'project']
  return verbs.flatMap((verb) =>
    nouns.map((noun) => ({
      server: `${noun} service`,
      name: `${verb}_${noun}`,
      text: `${verb} one ${noun} of the owner, by its id or by words that it holds`,
    })),
  )
}

/** Fills the index with copies of the tools, each copy under another server. */
function measureTimes(
  tools: readonly IndexedTool[],
  queries: readonly ToolQuery[],
): { readonly buildMs: number; readonly times: readonly number[] } {
  const many = Array.from({ length: MANY }, (_, at) => {
    const tool = tools[at % tools.length] as IndexedTool
    return { ...tool, server: `${tool.server} ${Math.floor(at / tools.length)}` }
  })
  const began = performance.now()
  const index = createSearchIndex(many)
  const buildMs = performance.now() - began
  const times = Array.from({ length: ROUNDS }, () => queries)
    .flat()
    .map(({ query }) => {
      const start = performance.now()
      index.search(query, 10)
      return performance.now() - start
    })
  return { buildMs, times }
}
