/**
 * Random flows, run by the engine and by a small interpreter that was written from the documents alone: both end the
 * same way, with the same values, after the same calls.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { test } from 'node:test'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { callFailed, type FailedCall } from '../../src/kernel/call-failure.ts'
import type { Policy } from '../../src/kernel/ports.ts'
import type { FlowRun } from '../../src/ports/flow-port.ts'
import type { Json } from '../../src/text/json.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { RevealToken } from '../../src/labels/reveal-token.ts'
import { type EngineHouse, never, startOf, type TestTool, untilOver } from './engine-house.ts'
import { openWithTools } from './engine-tools.ts'
import { type RandomFlow, randomFlow } from './random-flow.ts'
import { Dice, isList, valueOfShape } from './random-values.ts'
import {
  runSmall,
  type SmallEdge,
  type SmallFlow,
  type SmallNode,
  type SmallTool,
} from './small-interpreter.ts'
import { StepEnd, textOf } from './small-operators.ts'

interface Ended {
  readonly kind: string
  readonly node?: string | undefined
  readonly outputs?: unknown
  /** Every call that the tool got, sorted: items of a list may be worked on at once. */
  readonly calls: readonly string[]
}

/** The tool of one run. Its answer depends on its arguments alone, and on how often they were answered before. */
function scriptedTool({ script }: RandomFlow, seed: number, calls: string[]): SmallTool {
  const times = new Map<string, number>()
  return ({ at = '', value = null }) => {
    const key = JSON.stringify([at, value])
    const before = times.get(key) ?? 0
    times.set(key, before + 1)
    calls.push(key)
    const { shape, fails, action } = script[textOf(at)] ?? assert.fail('no such node')
    if (before < fails) throw new StepEnd(action)
    let hash = seed
    for (const sign of `${key}${before}`) hash = Math.imul(hash ^ sign.charCodeAt(0), 0x01000193)
    const answer = valueOfShape(shape, new Dice(hash))
    return isList(shape) ? { list: answer } : answer
  }
}

const CODES: Readonly<Record<string, FailedCall>> = {
  rate_limited: callFailed('call.rate-limited', 'scripted'),
  auth_failed: callFailed('call.unauthorized', 'scripted'),
  forbidden: callFailed('call.forbidden', 'scripted'),
  resource_missing: callFailed('call.missing', 'scripted'),
  timeout: callFailed('call.timeout', 'scripted'),
  server_error: callFailed('call.server-error', 'scripted'),
  network_error: callFailed('call.unreachable', 'scripted'),
  error: { kind: 'failed', reason: 'scripted' },
}

function askTool(tools: ReadonlyMap<string, SmallTool>): TestTool {
  const open = (value: Labelled | undefined): Json =>
    value ? Labelled.reveal(value, RevealToken.issue()) : null
  return {
    name: 'ask',
    effect: 'remote-read',
    args: { run: 'query', at: 'query', value: 'query' },
    required: ['run', 'at'],
    run({ args }) {
      const { run, ...rest } = args as Record<string, Labelled | Json>
      const bare = (one: Labelled | Json): Json => (one instanceof Labelled ? open(one) : one)
      const given = Object.fromEntries(
        Object.entries(rest).map(([name, one]) => [name, bare(one)] as const),
      )
      try {
        const tool = tools.get(textOf(bare(run ?? null))) ?? assert.fail('no such run')
        const value = tool(given)
        return JSON.parse(JSON.stringify(value)) as Json
      } catch (error) {
        if (error instanceof StepEnd) return CODES[error.action] ?? assert.fail(error.action)
        throw error
      }
    },
  }
}

async function endIn(house: EngineHouse, run: FlowRun, calls: string[]): Promise<Ended> {
  const { id, state, problem } = await untilOver(house.flows, run.id)
  const sorted = calls.toSorted()
  if (state !== 'completed') return { kind: state, node: problem?.node, calls: sorted }
  const results = Object.entries((await house.flows.results(id)) ?? {})
  const outputs = results.map(([name, one]) => [name, Labelled.reveal(one, RevealToken.issue())])
  return { kind: state, outputs: Object.fromEntries(outputs), calls: sorted }
}

function endInSmall(random: RandomFlow, seed: number): Ended {
  const calls: string[] = []
  const end = runSmall(random.flow, random.inputs, scriptedTool(random, seed, calls))
  return { ...end, calls: calls.toSorted() }
}

/** The subject is the engine, not whom it asks. */
function askingNobody(policy: Policy): Policy {
  return {
    ...policy,
    decide(request, facts) {
      const verdict = policy.decide(request, facts)
      return verdict.kind === 'ask' ? { kind: 'allow', rule: verdict.rule } : verdict
    },
  }
}

/** One random flow, and how the engine ended it. */
interface Run {
  readonly seed: number
  readonly random: RandomFlow
  readonly engine: Ended
}

/** `rounds`: without failures that are waited for, since each costs a second or more. */
const MAY_WAIT = rounds(true, false)
const FLOWS = rounds(2000, 100)
/** The runs of one engine, and the engines that work at once: most of the time is waited. */
const AT_ONCE = 100
const ENGINES = 5

async function runFrom(first: number): Promise<readonly Run[]> {
  const count = Math.min(AT_ONCE * ENGINES, FLOWS - first)
  const seeds = Array.from({ length: count }, (_, at) => first + at)
  const parts = Array.from({ length: Math.ceil(count / AT_ONCE) }, (_, at) => {
    return runAll(seeds.slice(at * AT_ONCE, (at + 1) * AT_ONCE))
  })
  return (await Promise.all(parts)).flat()
}

async function runAll(seeds: readonly number[]): Promise<readonly Run[]> {
  const tools = new Map<string, SmallTool>()
  await using house = await openWithTools({ policy: askingNobody }, [askTool(tools)])
  return await Promise.all(
    seeds.map(async (seed) => {
      const random = randomFlow(seed, MAY_WAIT)
      const { flow, inputs } = random
      const calls: string[] = []
      const id = `r${seed}`
      tools.set(id, scriptedTool(random, seed, calls))
      const start = startOf(id, flow as unknown as Json, { inputs })
      const run = await house.flows.start(start, never)
      return { seed, random, engine: await endIn(house, run, calls) }
    }),
  )
}

type Planted = (flow: SmallFlow) => SmallFlow

/** The runs that the interpreter ends in another way, as text to look at. */
function apart(runs: readonly Run[], planted: Planted = (flow) => flow): readonly string[] {
  return runs.flatMap(({ seed, random, engine }) => {
    const small = endInSmall({ ...random, flow: planted(random.flow) }, seed)
    // As JSON has them: without members that are undefined.
    const [left, right] = [engine, small].map((one) => JSON.parse(JSON.stringify(one)) as Json)
    if (isDeepStrictEqual(left, right)) return []
    return [JSON.stringify({ seed, engine, small, ...random })]
  })
}

function onNodes(change: (node: SmallNode) => SmallNode): Planted {
  return (flow) => ({ ...flow, nodes: flow.nodes.map(change) })
}

function onEdges(change: (edge: SmallEdge) => SmallEdge | undefined): Planted {
  return ({ edges, ...flow }) => {
    const changed = edges?.map(change).filter((edge) => edge !== undefined)
    return { ...flow, ...(changed && { edges: changed }) }
  }
}

/** Mistakes that an engine could make, each made by the interpreter instead. */
const MISTAKES: Readonly<Record<string, Planted>> = {
  'goes round once more': onEdges(({ max, ...edge }) => ({
    ...edge,
    ...(max !== undefined && { max: max + 1 }),
  })),
  'forgets the ways on after a failure': onEdges((edge) =>
    edge.action === undefined || edge.max !== undefined ? edge : undefined,
  ),
  'forgets the guards': onNodes(({ when: _when, ...node }) => node),
  'ends the loop over a list at the first failure': onNodes((node) => ({
    ...node,
    ...(node.forEach && { forEach: { ...node.forEach, error_handling: 'fail_fast' } }),
  })),
  'takes the greatest for the least': onNodes((node) => ({
    ...node,
    type: node.type === 'argmin' ? 'argmax' : node.type,
  })),
  'keeps nothing under keys': (flow) => ({ ...flow, mappings: {} }),
}

test('engine and interpreter end random flows in the same way, and a planted difference is found', async () => {
  for (let first = 0; first < FLOWS; first += AT_ONCE * ENGINES) {
    const runs = await runFrom(first)
    assert.deepEqual(apart(runs), [])
    const kinds = new Set(runs.map(({ engine }) => engine.kind))
    assert.deepEqual([...kinds].sort(), ['completed', 'failed'])
    if (first > 0) continue
    for (const [mistake, planted] of Object.entries(MISTAKES)) {
      assert.notEqual(apart(runs, planted).length, 0, mistake)
    }
  }
})
