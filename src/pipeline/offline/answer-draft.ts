/** Takes a message as the answer to the open question of a draft. A new request is no answer, and answers nothing. */
import type { Planned, PlannedValue, PlanRequest } from '../plan-port.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import { parsePlanDraft, type PlanDraft } from './plan-draft.ts'
import { planWords, type PlanningDeps, unable, withGiven } from './plan-words.ts'
import { smallTalk } from '../small-talk.ts'
import { chosenTool, isNo, isYes, valueIn } from './read-answer.ts'
import type { ArgumentTemplate } from './tool-template.ts'

const NOTHING = 'All right, nothing is done.'

export async function answerDraft(
  deps: PlanningDeps,
  request: PlanRequest,
  draft: PlanDraft,
): Promise<Planned | undefined> {
  const { open } = draft
  const goOn = (more: Partial<PlanDraft>): Promise<Planned> =>
    planWords(deps, { ...request, words: draft.words }, { ...draft, ...more })
  if (isNo(request.words)) {
    const isFlag = (await argumentOf(deps, request, draft))?.kind === 'flag'
    return isFlag ? await goOn(withValue(draft, NOT)) : unable(NOTHING, [])
  }
  if (open.kind === 'confirm')
    return isYes(request.words) ? await goOn({ isMeant: true }) : undefined
  if (open.kind === 'choose') {
    const tool = chosenTool(request.words, open.options)
    return tool && (await goOn(withTool(draft, open.clause, tool)))
  }
  const value = await valueFor(deps, request, draft)
  return value && (await goOn(withValue(draft, value)))
}

const NOT: PlannedValue = { kind: 'literal', value: false }

async function valueFor(
  deps: PlanningDeps,
  request: PlanRequest,
  draft: PlanDraft,
): Promise<PlannedValue | undefined> {
  const { words } = request
  const [, handle] = /^\$([a-z][a-z0-9]*)$/i.exec(words.trim()) ?? []
  if (handle !== undefined) return { kind: 'handle', name: handle }
  const arg = await argumentOf(deps, request, draft)
  if (!arg || isTalk(words, arg) || (await isNewRequest(deps, request, arg))) return undefined
  const value = valueIn(words, arg)
  return value === undefined ? undefined : { kind: 'literal', value }
}

/** Thanks are no value, nor is a question, unless any text is one. */
function isTalk(words: string, { kind }: ArgumentTemplate): boolean {
  if (smallTalk(words) !== undefined) return true
  const isFree = kind === 'text' || kind === 'query' || kind === 'title'
  return !isFree && /\s\S+\s.*\?\s*$/.test(words)
}

/** Free text may look like a request; it counts as one only if it is complete. */
async function isNewRequest(
  deps: PlanningDeps,
  request: PlanRequest,
  { kind }: ArgumentTemplate,
): Promise<boolean> {
  if (request.words.trim().split(/\s+/).length < 2 || /^["“'`/{[]/.test(request.words.trim()))
    return false
  const fresh = await planWords(deps, request, {})
  return fresh.kind === 'plan' || (fresh.kind === 'question' && kind !== 'text' && kind !== 'query')
}

/** The argument that is asked for, as its tool describes it now. */
async function argumentOf(
  deps: PlanningDeps,
  request: PlanRequest,
  draft: PlanDraft,
): Promise<ArgumentTemplate | undefined> {
  const { open } = draft
  if (open.kind !== 'value') return undefined
  const again = await planWords(deps, { ...request, words: draft.words }, draft)
  if (again.kind !== 'question') return undefined
  const [tool] = again.near
  const still = parsePlanDraft(again.draft)?.open
  if (!tool || still?.kind !== 'value' || still.arg !== open.arg) return undefined
  const found = deps.index.templates.find(
    ({ card }) => card.id.server === tool.server && card.id.name === tool.name,
  )
  return found?.args.find(({ arg }) => arg.name === open.arg)
}

function withTool(draft: PlanDraft, clause: number, tool: ToolId): Partial<PlanDraft> {
  const picks = Array.from({ length: Math.max(draft.picks.length, clause + 1) }, (_, at) =>
    at === clause ? tool : (draft.picks[at] ?? null),
  )
  return { picks }
}

function withValue(draft: PlanDraft, value: PlannedValue): Partial<PlanDraft> {
  const { open } = draft
  return open.kind === 'value' ? { given: withGiven(draft, open, value) } : {}
}
