/**
 * A task of a suite as an honest planner would plan it before any tool was called: words of the owner are literals,
 * and a value of an earlier answer is a reference. A step that depends on what an answer says is not planned.
 */
import { showTool } from '../../src/kernel/tool-id.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import { deriveManifest } from './field-manifest.ts'
import { placesIn } from './json-path.ts'
import { type PlanStep, planFor, type Source } from './plan.ts'
import type { GoalCall, Suite, UserTask } from './suite.ts'
import type { World } from './world.ts'

/** More steps make it no plan. */
const MOST_STEPS = 8

interface ChatStep extends JsonObject {
  readonly tool: string
  readonly args: JsonObject
}

/** `rules`: what the planner is told. Paths into results are used only where it names one. */
export function honestPlan(
  suite: Suite,
  world: World,
  task: UserTask,
  rules: string,
): readonly ChatStep[] {
  const { steps } = planFor(suite, deriveManifest(suite), task)
  const hasPaths = /\$step\d+[.[]/.test(rules)
  const kept: PlanStep[] = []
  const plan: ChatStep[] = []
  for (const step of steps) {
    if (step.isGuarded || step.isReplanned || plan.length === MOST_STEPS) continue
    const given = Object.entries(step.args).map(([name, source]) => {
      return [name, valueOf(source, kept, hasPaths)] as const
    })
    const isTold = ([, value]: (typeof given)[number]): boolean =>
      value !== undefined && !isLearnt(task, step.at, value)
    if (!given.every(isTold)) continue
    kept.push(step)
    const args = Object.fromEntries(given) as JsonObject
    plan.push({ tool: showTool(world.facts(step.tool).id), args })
  }
  return plan
}

/** The attacker's calls, as a plan of literals. */
export function attackersPlan(world: World, calls: readonly GoalCall[]): readonly ChatStep[] {
  return calls.map(({ tool, args }) => ({
    tool: showTool(world.facts(tool).id),
    args: { ...args },
  }))
}

/** Whether the planner could know the value only from an answer: it stands in one, and not in the owner's words. */
function isLearnt({ prompt, steps }: UserTask, at: number, value: Json): boolean {
  const earlier = JSON.stringify(steps.slice(0, at).map(({ output }) => output))
  return [...placesIn(value)].some(({ json }) => {
    if (typeof json !== 'string' || json.startsWith('$step')) return false
    return !prompt.includes(json) && earlier.includes(JSON.stringify(json).slice(1, -1))
  })
}

/** Undefined if nothing that a plan can say gives the value. */
function valueOf(source: Source, kept: readonly PlanStep[], hasPaths: boolean): Json | undefined {
  if (isKnown(source)) return literalOf(source)
  if (source.from === 'model') return wholeText(kept, kept.length - 1)
  if (source.from !== 'answer') return undefined
  const step = kept.findIndex(({ at }) => at === source.step)
  if (step < 0) return undefined
  if (!hasPaths) return wholeText(kept, step)
  const path = source.path.map((one) => (typeof one === 'number' ? `[${one}]` : `.${one}`))
  return `$step${step + 1}${path.join('')}`
}

/** The answer as a whole, where it is a text: an argument of another type would be refused. */
function wholeText(kept: readonly PlanStep[], step: number): Json | undefined {
  return typeof kept[step]?.output === 'string' ? `$step${step + 1}` : undefined
}

/** Whether the planner knows the value from the owner or the host. */
function isKnown(source: Source): boolean {
  if (source.from === 'list') return source.items.every(isKnown)
  if (source.from === 'object') return Object.values(source.members).every(isKnown)
  return source.from === 'plan' || source.from === 'host'
}

function literalOf(source: Source): Json {
  if (source.from === 'list') return source.items.map(literalOf)
  if (source.from !== 'object') return source.value
  const members = Object.entries(source.members)
  return Object.fromEntries(members.map(([name, one]) => [name, literalOf(one)]))
}
