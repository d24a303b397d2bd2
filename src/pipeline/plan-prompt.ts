/**
 * The prompt of a model that plans: rules, tool cards, names of handles, and what became of earlier plans for the same
 * words. Holds no result, no pasted text and no word of a server but the names that a call needs. Pure.
 */
import type { PlanRequest, PlannedStep, RoundStep } from './plan-port.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { ToolCard } from '../ports/tool-view.ts'
import type { JsonObject } from '../text/json.ts'
import { planName } from './built-in-cards.ts'
import { showValue } from './plan-flow.ts'

export const PLAN_RULES: string = [
  'You plan for Cordon, a personal agent. You see what its owner says and which tools there are. You do not call tools:',
  'you answer with one JSON object, and Cordon runs the plan.',
  'Use only tools of the list, by their full names, and only arguments that they have. A value is literal, or the whole',
  'text "$step1" for the result of step 1, or the name of a handle such as "$paste1". You never see what is behind it.',
  'A path leads to a part of it: "$step1.items[0].id". A reference is a whole value, never a part of a text.',
  'Plan nothing that the owner did not ask for. If nothing needs to be done, the plan is empty. If something that a tool',
  'needs is missing, put one short question to the owner in "question" and leave the plan empty.',
  'If you have to know which results there are before you can plan the rest, plan the first steps and set "more" to true:',
  'you are asked again, and are told which steps worked and the names of their results.',
].join('\n')

export const PLAN_SCHEMA: JsonObject = {
  type: 'object',
  required: ['plan'],
  additionalProperties: false,
  properties: {
    reasoning: { type: 'string' },
    explanation: { type: 'string' },
    selection_type: { type: 'string' },
    chosen_nodes: { type: 'array', items: { type: 'string' } },
    flow_structure: { type: 'string' },
    question: { type: 'string' },
    more: { type: 'boolean' },
    plan: {
      type: 'array',
      items: {
        type: 'object',
        required: ['tool', 'args'],
        properties: {
          step: { type: 'integer' },
          tool: { type: 'string' },
          args: { type: 'object' },
        },
      },
    },
  },
}

export interface PlanParts {
  readonly request: PlanRequest
  readonly cards: readonly ToolCard[]
  /** The owner's own words from before: facts and messages. */
  readonly background: string
}

/** The text below the rules. */
export function planPrompt({ request, cards, background }: PlanParts): string {
  const said = `The owner says:\n${request.words}`
  const parts = [toolBlock(cards), handleBlock(request), background, said, roundBlock(request)]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** One line for each tool, with its arguments and the declared parts of its answer. */
export function toolBlock(cards: readonly ToolCard[]): string {
  const lines = cards.map(({ id, summary, args, outputs = [] }) => {
    const given = args.map(({ name, type, isRequired, choices }) => {
      const among = choices ? ` of ${choices.join('|')}` : ''
      return `${name}${isRequired ? '' : '?'}: ${type}${among}`
    })
    const takes = given.length > 0 ? ` (${given.join(', ')})` : ''
    const gives = outputs.length > 0 ? ` gives ${outputs.join(', ')}` : ''
    return `- ${planName(id)}: ${summary}${takes}${gives}`
  })
  return ['Available tools from MCPs:', ...lines].join('\n')
}

function handleBlock({ handles, now, timezone }: PlanRequest): string {
  const lines = handles.map(({ name, type, count, from }) => {
    const items = count === undefined ? '' : ` of ${count}`
    return `- $${name}: ${type}${items}${from ? `, a result of ${showTool(from)}` : ', pasted by the owner'}`
  })
  const time = `It is ${new Date(now).toISOString()}; the owner's time zone is ${timezone}.`
  return lines.length === 0 ? time : [time, 'Handles:', ...lines].join('\n')
}

/** Empty if the words are planned for the first time. */
function roundBlock({ rounds = [], isLastRound }: PlanRequest): string {
  if (rounds.length === 0) return ''
  const lines = rounds.flatMap(({ steps }, round) => [
    `Plan ${round + 1}:`,
    ...steps.map((step, at) => `${at + 1}. ${stepText(step)}: ${outcomeText(step)}`),
  ])
  const last = isLastRound ? ['This is the last plan for this request: "more" has no effect.'] : []
  return [
    'These plans for the request have run. Do not repeat a step that worked. Plan only what is left, with the handles of',
    'the results; "$step1" is the first step of the new plan. If nothing is left, the plan is empty.',
    ...lines,
    ...last,
  ].join('\n')
}

function stepText({ tool, args }: PlannedStep): string {
  const given = Object.entries(args).map(([name, value]) => `${name}: ${showValue(value)}`)
  return `${planName(tool)}${given.length > 0 ? ` ${given.join(', ')}` : ''}`
}

function outcomeText({ outcome, code, result }: RoundStep): string {
  if (outcome === 'worked') return result === undefined ? 'worked' : `worked, $${result}`
  return code === undefined ? outcome : `${outcome} (${code})`
}
