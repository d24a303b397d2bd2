/** How fast and how well the index finds tools: on the real tool lists where present, else on made-up names. */
import { createSearchIndex, type IndexedTool } from '../src/servers/tools/search-index.ts'
import {
  readListedTools,
  readQueries,
  recallAt5,
  type ToolQuery,
} from '../test/fixtures/tool-queries.ts'
import { type BenchReport, quantile } from './report.ts'

const MANY = 10_000
const ROUNDS = 5

export function measureSearch(): BenchReport {
  const queries = readQueries()
  const listed = readListedTools()
  const { buildMs, times } = measureTimes(listed ?? madeUpTools(), queries)
  return {
    figures: [
      { name: `index of ${MANY} tools, built in`, value: buildMs, unit: 'ms' },
      { name: 'search p50', value: quantile(times, 0.5), unit: 'ms' },
      ...(listed ? recallFigures(listed, queries) : []),
    ],
    bars: [
      {
        name: `search among ${MANY} tools, p95`,
        value: quantile(times, 0.95),
        unit: 'ms',
        kind: 'most',
        limit: 10,
      },
    ],
  }
}

function recallFigures(
  tools: readonly IndexedTool[],
  queries: readonly ToolQuery[],
): BenchReport['figures'] {
  const namesOnly = tools.map((tool) => ({ ...tool, text: '' }))
  const of = `${queries.length} queries over ${tools.length} tools`
  return [
    { name: `recall@5, ${of}`, value: 100 * recallAt5(tools, queries), unit: '%' },
    { name: 'recall@5, names only', value: 100 * recallAt5(namesOnly, queries), unit: '%' },
  ]
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
