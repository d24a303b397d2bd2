/**
 * Plans with the owner's model. The prompt holds the owner's words, names of handles and tool cards, which the host wrote;
 * never a result, a pasted text, or anything else that others wrote. The answer is data: a tool that was not offered, or
 * an argument that its card does not have, makes it no plan.
 */
import type { Planned, Planner, PlanRequest } from './plan-port.ts'
import type { Memory } from '../ports/memory-port.ts'
import type { Models } from '../ports/model-port.ts'
import type { ToolCard, ToolIndex } from '../ports/tool-view.ts'
import { isTrusted, joinLabels, type Label, type Level, OWN_WORDS } from '../labels/label.ts'
import { deliver, OWNER_SINK } from '../labels/sink.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { extract } from '../text/extract.ts'
import { PLAN_RULES, PLAN_SCHEMA, planPrompt } from './plan-prompt.ts'
import { readPlan } from './read-plan.ts'

export interface ModelPlannerDeps {
  readonly models: Pick<Models, 'ask'>
  readonly index: Pick<ToolIndex, 'list' | 'search'>
  /** Offered beside the tools of the index, however many those are. */
  readonly builtIns?: readonly ToolCard[]
  /** Written by the host: services, pending work, channels, rules. */
  readonly state: () => Promise<string>
  readonly memory: Pick<Memory, 'relevantFacts'>
}

/** Tools in one prompt; with more, the likeliest by the owner's words. */
const MOST_TOOLS = 40
/** About one request: a model that asks for more has not understood it. */
const MOST_QUESTIONS = 3

const ASKS_AGAIN: Planned = {
  kind: 'unable',
  reason: 'The model asks again and again, so I stopped. Say the whole request in one sentence.',
  near: [],
}

export function createModelPlanner(deps: ModelPlannerDeps): Planner {
  return {
    plan: (request, signal) => plan(deps, request, signal),
    answer: async (draft, request, signal) => {
      const { times = 1 } = draft as unknown as ModelDraft
      const planned = await plan(deps, withQuestion(draft, request), signal)
      if (planned.kind !== 'question') return planned
      if (times >= MOST_QUESTIONS) return ASKS_AGAIN
      return { ...planned, draft: { ...(planned.draft as JsonObject), times: times + 1 } }
    },
  }
}

interface ModelDraft {
  readonly words: string
  readonly question: string
  /** How often the model has asked back. */
  readonly times?: number
}

/** The request, the question about it, and its answer, as one request. */
function withQuestion(draft: Json, request: PlanRequest): PlanRequest {
  const { words, question } = draft as unknown as ModelDraft
  return { ...request, words: `${words}\n(You asked: ${question})\n${request.words}` }
}

async function plan(
  deps: ModelPlannerDeps,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<Planned> {
  const cards = [...(await cardsFor(deps.index, request.words)), ...(deps.builtIns ?? [])]
  const offered = { cards, handles: request.handles }
  const { text: background, level } = await backgroundFor(deps.memory, request)
  const misfit = (value: Json): string | undefined => {
    const read = readPlan(value, offered)
    return 'problem' in read ? read.problem : undefined
  }
  const answer = await deps.models.ask(
    {
      system: [PLAN_RULES, await deps.state()].join('\n\n'),
      text: planPrompt({ request, cards, background }),
      level,
      schema: PLAN_SCHEMA,
      misfit,
      temperature: 0,
      ...(request.onUsage && { onUsage: request.onUsage }),
    },
    signal,
  )
  if (answer.kind !== 'said') return unable(`The model did not plan that: ${answer.reason}.`)
  const read = readPlan(answer.value ?? null, offered)
  if ('problem' in read) {
    return unable(`The model did not give a plan that can be used: ${read.problem}.`)
  }
  const { planned } = read
  if (planned.kind !== 'question') return planned
  const draft: ModelDraft = { words: request.words, question: planned.text }
  return { ...planned, draft: { ...draft } }
}

function unable(reason: string): Planned {
  return { kind: 'unable', reason, near: [] }
}

const MOST_FACTS = 10

/**
 * The owner's own words: their last messages in this conversation, and facts that they wrote themselves. An answer, or a fact that holds words of
 * others, is no part of it.
 */
async function backgroundFor(
  memory: ModelPlannerDeps['memory'],
  { words, earlier }: PlanRequest,
): Promise<{ readonly text: string; readonly level: Level }> {
  const facts = (await memory.relevantFacts(words, MOST_FACTS)).filter(({ text }) =>
    isTrusted(text.label),
  )
  const known = facts.flatMap(({ text }) => {
    const delivery = deliver(text, OWNER_SINK)
    return delivery.kind === 'shown' ? [`- ${delivery.value as string}`] : []
  })
  // A message that a command answered is kept with the text that was pasted into it.
  const said = ((await earlier?.()) ?? []).map((turn) => `- ${extract(turn.said).words}`)
  const { level } = facts.reduce<Label>((all, { text }) => joinLabels(all, text.label), OWN_WORDS)
  const blocks = [
    ...(known.length > 0 ? [['What the owner told you to remember:', ...known]] : []),
    ...(said.length > 0 ? [['Earlier messages of the owner:', ...said]] : []),
  ]
  return { text: blocks.map((lines) => lines.join('\n')).join('\n\n'), level }
}

async function cardsFor(
  index: ModelPlannerDeps['index'],
  words: string,
): Promise<readonly ToolCard[]> {
  const all = await index.list()
  const usable = all.filter(({ blocked }) => blocked === undefined).map(({ card }) => card)
  return usable.length <= MOST_TOOLS ? usable : await index.search(words, MOST_TOOLS)
}
