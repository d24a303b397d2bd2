/**
 * The planner without a model: matches the owner's English words against templates made of tool cards. It plans one to
 * three steps, asks where something is missing or two tools are equally likely, and says so where nothing fits. A write
 * is planned only for a plain request: a forbidding or asking sentence leads to reads at most. Calls no tool.
 */
import type { Planned, Planner, PlanRequest, TaughtSentence } from '../plan-port.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { ToolCard, ToolIndex } from '../../ports/tool-view.ts'
import { answerDraft } from './answer-draft.ts'
import { idsOf } from './candidates.ts'
import { isEnglish } from './is-english.ts'
import { parsePlanDraft } from './plan-draft.ts'
import { planWords, type PlanningDeps, sightOf, unable } from './plan-words.ts'
import { createTemplateIndex, type TemplateIndex } from './template-index.ts'

export interface OfflinePlannerDeps {
  readonly tools: Pick<ToolIndex, 'list' | 'search'>
  readonly taught: () => readonly TaughtSentence[]
  readonly foldersOf?: PlanningDeps['foldersOf']
}

export interface OfflinePlanner extends Planner {
  /** The tools that the first step of a request could mean, the likeliest first. */
  rank(request: PlanRequest, most: number): Promise<readonly ToolId[]>
}

/** A pasted text has a handle; a longer sentence is no request that templates fit. */
const LONGEST = 2000

export function createOfflinePlanner(parts: OfflinePlannerDeps): OfflinePlanner {
  const { tools, taught, foldersOf } = parts
  const indexOf = createIndexKeeper()
  const deps = async (): Promise<PlanningDeps> => {
    const listed = await tools.list()
    const cards = listed.flatMap(({ card, blocked }) => (blocked === undefined ? [card] : []))
    const search: PlanningDeps['search'] = (words, most) => tools.search(words, most)
    return { index: indexOf(cards), search, ...(foldersOf && { foldersOf }) }
  }
  return {
    async plan(request) {
      const { words } = request
      if (words.length > LONGEST) return unable('That is too long to plan without a model.', [])
      const flow = taughtFlow(words, taught())
      if (flow !== undefined) return { kind: 'flow', name: flow }
      const known = await deps()
      const planned = await planWords(known, request, {})
      const isUseless = planned.kind === 'unable' && !hasServer(known) && isEnglish(words)
      return isUseless ? NOTHING_CONNECTED : planned
    },
    async answer(draft, request): Promise<Planned | undefined> {
      const open = parsePlanDraft(draft)
      const { words } = request
      if (!open || words.length > LONGEST || taughtFlow(words, taught()) !== undefined)
        return undefined
      return await answerDraft(await deps(), request, open)
    },
    async rank(request, most) {
      const sight = await sightOf(await deps(), request, {})
      return idsOf(sight.steps[0]?.candidates ?? [], most)
    },
  }
}

/** Tools of Cordon itself, such as those of memory, are of no connected server. */
function hasServer({ index }: PlanningDeps): boolean {
  return index.templates.some(({ card }) => !card.id.server.startsWith('~'))
}

const NOTHING_CONNECTED = unable(
  'I can’t do that yet: nothing is connected. Try `connect filesystem` first.',
  [],
)

/** Prepares the templates anew only when a card has changed. */
function createIndexKeeper(): (cards: readonly ToolCard[]) => TemplateIndex {
  let known: readonly ToolCard[] = []
  let index = createTemplateIndex([])
  return (cards) => {
    if (cards.length !== known.length || cards.some((card, at) => card !== known[at])) {
      known = cards
      index = createTemplateIndex(cards)
    }
    return index
  }
}

function taughtFlow(words: string, taught: readonly TaughtSentence[]): string | undefined {
  const said = bare(words)
  return said === '' ? undefined : taught.find(({ sentence }) => bare(sentence) === said)?.flow
}

function bare(sentence: string): string {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}'’-]+/gu) ?? []
  return words.filter((word) => word !== 'please').join(' ')
}
