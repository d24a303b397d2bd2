/** The runs that the benchmark of flows measures, and the tools that they call. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../../src/text/json.ts'
import { type EngineHouse, never, startOf, type TestTool } from '../../test/flows/engine-house.ts'

export const ITEM_MS = 40
export const CALL_MS = 200

export const TOOLS: readonly TestTool[] = [
  {
    name: 'echo',
    effect: 'write',
    args: { text: 'content' },
    run: ({ args }) => args['text'] ?? '',
  },
  {
    name: 'slow',
    effect: 'remote-read',
    args: { n: 'query' },
    run: async ({ args }) => await sleep(ITEM_MS, args['n'] ?? null),
  },
  {
    name: 'far',
    effect: 'remote-read',
    args: { n: 'query' },
    run: async ({ args }) => await sleep(CALL_MS, args['n'] ?? null),
  },
]

let ids = 0

/** Follows the run to its end; milliseconds. */
export async function runToEnd({ flows }: EngineHouse, ir: Json): Promise<number> {
  ids += 1
  const id = `run-${ids}`
  const began = performance.now()
  await flows.start(startOf(id, ir), never)
  await followToEnd(flows, id)
  return performance.now() - began
}

export async function followToEnd(flows: EngineHouse['flows'], id: string): Promise<void> {
  let after = 0
  for (;;) {
    const { run, events } = await flows.follow(id, after, never)
    if (run.state === 'completed') return
    if (run.state !== 'running') throw new Error(JSON.stringify(run))
    after = events.at(-1)?.number ?? after
  }
}

/** A chain of calls of one tool. */
export function chainOf(count: number, tool: string, argument: string): Json {
  const nodes = Array.from({ length: count }, (_, at) => {
    return { id: `e${at}`, type: `box.${tool}`, params: { [argument]: `hello ${at}` } }
  })
  return { nodes }
}

/** Steps that only compute: no step is quicker, so the cost of a follower weighs most. */
export function formats(count: number): Json {
  const nodes = Array.from({ length: count }, (_, at) => {
    return { id: `f${at}`, type: 'format', params: { template: `hello ${at}` } }
  })
  return { nodes }
}

/** A loop of pure steps. */
export function ringOf(nodes: number, max: number): Json {
  const ids = Array.from({ length: nodes }, (_, at) => `f${at}`)
  return {
    nodes: ids.map((id) => ({ id, type: 'format', params: { template: id } })),
    edges: ids.map((from, at) => ({
      from,
      to: ids[(at + 1) % nodes] ?? from,
      ...(at === nodes - 1 && { max }),
    })),
  }
}
