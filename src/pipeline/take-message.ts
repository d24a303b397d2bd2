/**
 * Understands one message: small talk, a saved flow, the answer to a question of the planner, or a request, which is
 * planned and carried out. The planner gets the owner's words and handles; pasted texts and results stay behind them.
 */
import type { Planned } from './plan-port.ts'
import type { Turn as MemoryTurn } from '../ports/memory-port.ts'
import type { Message } from '../kernel/receive.ts'
import { showTool } from '../kernel/tool-id.ts'
import { isTrusted } from '../labels/label.ts'
import { answerFixed, type Heard, runSaved } from './answer-fixed.ts'
import { extract } from '../text/extract.ts'
import { carryOut, putDraft, type Turn } from './carry-out.ts'
import { handlesIn } from './plan-flow.ts'
import { planRequest, valuesOf } from './plan-request.ts'
import { NO_PROGRESS, type Progress } from './progress.ts'
import { done, failed, type Said, type Standing } from './standing.ts'
import { ownText } from './synthesize.ts'
import type { TurnDeps } from './turn-deps.ts'

export async function takeMessage(
  deps: TurnDeps,
  message: Message,
  standing: Standing,
  turn: Turn,
): Promise<Said> {
  const { words, pastes: pasted } = extract(withQuoted(message))
  const { draft } = standing
  standing.draft = undefined
  const pastes = pasted.length > 0 ? pasted : (draft?.pastes ?? [])
  const progress = draft?.progress ?? NO_PROGRESS
  const { onUsage } = turn.record
  const asked = { words, pastes, message }
  const request = { ...(await planRequest(deps, asked, progress)), onUsage }
  const { earlier } = request
  const answered = draft && (await deps.planner.answer(draft.json, request, turn.signal))
  const told = answered ? undefined : await answerFixed(deps, { words, message, standing }, turn)
  if (told) return told
  if (answered) {
    const understood = { planned: answered, words, pastes, message, standing, progress, earlier }
    return await follow(deps, understood, turn)
  }
  const { rounds: _earlier, isLastRound: _last, ...first } = request
  const planned = await deps.planner.plan(first, turn.signal)
  const understood = { planned, words, pastes, message, standing, progress: NO_PROGRESS, earlier }
  return await follow(deps, understood, turn)
}

/** A text that the message replies to is a quoted block. */
function withQuoted({ text, quoted }: Message): string {
  return quoted === undefined ? text : `${text}\n${quoted.replace(/^/gm, '> ')}`
}

interface Understood extends Heard {
  readonly planned: Planned
  readonly pastes: readonly string[]
  readonly progress: Progress
  readonly earlier: () => Promise<readonly MemoryTurn[]>
}

async function follow(deps: TurnDeps, understood: Understood, turn: Turn): Promise<Said> {
  try {
    return await followPlan(deps, understood, turn)
  } finally {
    // A model that answers reads the pasted text as well, whatever becomes of its answer.
    if (understood.pastes.length > 0) understood.standing.isAfterOthers = true
  }
}

async function followPlan(deps: TurnDeps, understood: Understood, turn: Turn): Promise<Said> {
  const { planned, words, pastes, message, standing, progress } = understood
  if (planned.kind === 'question') return putDraft(standing, planned, { pastes, progress })
  if (planned.kind === 'unable') return failed(ownText(await unable(deps, planned, words)))
  if (planned.kind === 'flow') return await runSaved(deps, planned.name, understood, turn)
  const { plan, canGoOn } = planned
  if (plan.steps.length === 0 && progress.rounds.length === 0)
    return await talk(deps, message, turn)
  const labelled = await valuesOf(deps, handlesIn(plan), pastes)
  const typed = canGoOn ? await wordsTyped(words, understood) : undefined
  const run = { plan, words, pastes, labelled, message, canGoOn, typed, progress }
  return await carryOut(deps, run, standing, turn)
}

/** The owner's words of this conversation. Notes whether an answer in it holds words of others, also one before a restart. */
async function wordsTyped(
  words: string,
  { earlier, standing }: Understood,
): Promise<readonly string[]> {
  const turns = await earlier()
  if (turns.some(({ answer }) => !isTrusted(answer.label))) standing.isAfterOthers = true
  return [words, ...turns.map(({ said }) => extract(said).words)]
}

/** A plan without steps: the answer is made of the words alone. */
async function talk(deps: TurnDeps, message: Message, { record, signal }: Turn): Promise<Said> {
  const onPiece = (text: string): void => record.tell({ kind: 'piece', text })
  const { onUsage } = record
  const sink = deps.sinkFor(message)
  const composing = { said: message.text, results: [], sink, onPiece, onUsage }
  const answer = await deps.compose(composing, signal)
  if (answer) return done(answer)
  const isPasted = extract(message.text).pastes.length > 0
  return failed(ownText(isPasted ? NO_READER : 'There is nothing that I can do about that.'))
}

const NO_READER =
  'No model of yours may read what you pasted, or it did not answer. In a shell, `cordon profiles list` shows what each may read.'

const ONLY_PASTED =
  'You pasted a text, and no word says what to do with it. Say it beside the text, for example: remember this.'

/** The nearest tools are shown as they can be called, since the words for them were not found. */
async function unable(
  { flows }: TurnDeps,
  { reason, near }: Extract<Planned, { kind: 'unable' }>,
  words: string,
): Promise<string> {
  if (/^(?:\$paste\d+\s*)+$/.test(words)) return ONLY_PASTED
  if (near.length === 0) return reason
  const views = await flows.nodes()
  const tools = near.slice(0, 3).map(({ server, name }) => {
    const view = views.find((one) => one.server === server && one.tool === name)
    const args = view?.inputs.filter(({ required }) => required) ?? []
    return `\n  ${[showTool({ server, name }), ...args.map((one) => `${one.name}=…`)].join(' ')}`
  })
  return `${reason} The nearest that I can do; type it like this, or say it in other words:${tools.join('')}`
}
