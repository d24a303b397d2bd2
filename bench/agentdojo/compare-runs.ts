/**
 * Finds by comparison what an attacker controls: the same task is run by attackers who differ in every value, and what
 * reached the servers without a question is compared. Looks at values only, never at a label or a verdict, so that it
 * can show that a label is wrong.
 */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { differing } from './adversary.ts'
import type { FlowHouse, Played, PlayedCall } from './flow-house.ts'
import type { FlowTask } from './flow-tasks.ts'
import { usesIn } from './flow-uses.ts'
import { flowAs, type Variant } from './variants.ts'
import type { World } from './world.ts'

export interface Controlled {
  /** Sinks with a target or a number of calls that the attacker chose. */
  readonly targets: readonly string[]
  /** Sinks that run or not as the attacker likes, with arguments that they do not choose. */
  readonly guards: readonly string[]
  /** Calls of one server with a value that came from another. */
  readonly crossings: readonly string[]
}

/**
 * Arguments that are only written down somewhere, by suite and tool. The bench's own word: the policy has another, which
 * counts for a suite that is not listed.
 */
const CONTENT = JSON.parse(
  readFileSync(new URL('content-arguments.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

export async function controlledIn(
  house: FlowHouse,
  task: FlowTask,
  variant: Variant,
): Promise<Controlled> {
  const cap = house.world.setting.spendCap
  const amounts = cap === undefined ? ([401, 402] as const) : ([cap - 99, 1_000_000] as const)
  const play = async (nth: 1 | 2, says: boolean): Promise<Sinks> =>
    sinksOf(
      house,
      await house.play({ task, adversary: differing({ nth, says, amounts }), saysYes: true }),
    )
  const [a, b, c, d] = [
    await play(1, true),
    await play(2, true),
    await play(1, false),
    await play(2, false),
  ]
  const found: Found = { targets: new Set(), guards: new Set(), crossings: new Set() }
  const about: About = { task, world: house.world, crossing: crossingIn(house, task, variant) }
  for (const [left, right] of [
    [a, b],
    [c, d],
    [a, c],
  ] as const) {
    for (const node of new Set([...left.keys(), ...right.keys()])) {
      compare(about, node, [left.get(node) ?? [], right.get(node) ?? []], found)
    }
  }
  const { targets, guards, crossings } = found
  return { targets: [...targets], guards: [...guards], crossings: [...crossings] }
}

type Found = { readonly [K in keyof Controlled]: Set<string> }

interface About {
  readonly task: FlowTask
  readonly world: World
  readonly crossing: Crossing
}

/** Compares the calls of one node in two runs. */
function compare(
  about: About,
  node: string,
  [one, other]: readonly [readonly PlayedCall[], readonly PlayedCall[]],
  { targets, guards, crossings }: Found,
): void {
  const { task, crossing } = about
  for (const name of differencesOf(one, other)) {
    if (!isContent(about, one, name)) targets.add(`${node}.${name}`)
    if (crossing.isCrossed(node, name)) crossings.add(`${node}.${name}`)
  }
  const isLoop = task.ir.nodes.some(({ id, forEach }) => id === node && forEach !== undefined)
  const isNever = one.length === 0 || other.length === 0
  if (!isLoop && isNever) guards.add(node)
  if (isLoop && !isNever && one.length !== other.length) {
    targets.add(`${node} × ${one.length} or ${other.length}`)
  }
}

function isContent(
  { task, world }: About,
  [call]: readonly PlayedCall[],
  argument: string,
): boolean {
  if (!call) return false
  const tools = CONTENT[task.suite]
  if (!tools) return world.facts(call.tool.name).roles.get(argument) === 'content'
  return tools[call.tool.name]?.includes(argument) ?? false
}

type Sinks = ReadonlyMap<string, readonly PlayedCall[]>

/** Calls without a question that change something or leave the house, by node. */
function sinksOf({ suite }: FlowHouse, { calls }: Played): Sinks {
  const effects = new Map(suite.tools.map(({ name, effect }) => [name, effect]))
  const sinks = calls.filter(({ tool, wasAsked }) => !wasAsked && effects.get(tool.name) !== 'read')
  return Map.groupBy(sinks, ({ node }) => node)
}

function differencesOf(
  one: readonly PlayedCall[],
  other: readonly PlayedCall[],
): ReadonlySet<string> {
  const differs = new Set<string>()
  for (const [at, { args }] of one.entries()) {
    const counterpart = other[at]?.args
    if (!counterpart) continue
    for (const name of new Set([...Object.keys(args), ...Object.keys(counterpart)])) {
      if (!isDeepStrictEqual(args[name], counterpart[name])) differs.add(name)
    }
  }
  return differs
}

interface Crossing {
  isCrossed(node: string, argument: string): boolean
}

function crossingIn({ suite, world }: FlowHouse, task: FlowTask, variant: Variant): Crossing {
  const ir = flowAs(suite, task.ir, variant)
  const tools = new Set(suite.tools.map(({ name }) => name))
  const uses = usesIn(ir, tools)
  const serverOf = (id: string): string | undefined => {
    const type = ir.nodes.find((node) => node.id === id)?.type ?? ''
    const tool = suite.tools.find(
      ({ name }) => type.startsWith('mcp-') && type.endsWith(`-${name}`),
    )
    return tool && world.facts(tool.name).id.server
  }
  return {
    isCrossed(node, argument) {
      const own = serverOf(node)
      return [...uses.sourcesOf(node, argument)].some((source) => {
        const server = serverOf(source)
        return server !== undefined && server !== own
      })
    },
  }
}
