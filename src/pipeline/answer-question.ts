/**
 * Takes a message as the answer to the open question about a call or a plan: yes, no, always, more, or `not the second
 * one`; or as the answer to a server that asks something. Any other message leaves the question open.
 */
import { approvalAnswer, approvalDetails, approvalWord } from '../kernel/approval-words.ts'
import { CordonError } from '../kernel/error.ts'
import type { Message } from '../kernel/receive.ts'
import { carryOut, type Turn } from './carry-out.ts'
import { withoutStep } from './plan-flow.ts'
import { placeOf } from './run-flow.ts'
import {
  openQuestion,
  type ServerQuestion,
  showQuestion,
  takeAnswer,
  type TakenAnswer,
} from './server-question.ts'
import { type Asking, done, type Said, type Standing } from './standing.ts'
import { ownText } from './synthesize.ts'
import type { TurnDeps } from './turn-deps.ts'

export type Answered =
  /** The turn that asked goes on. */
  | { readonly kind: 'goes-on'; readonly turn: string }
  | { readonly kind: 'new'; readonly take: (turn: Turn) => Promise<Said> }

export async function answerQuestion(
  deps: TurnDeps,
  message: Message,
  standing: Standing,
): Promise<Answered | undefined> {
  const { asking } = standing
  if (!asking) return undefined
  if (asking.kind === 'server') return await answerServer(deps, message, standing, asking)
  const { text, principal } = message
  const { shown, record, run, planned } = asking
  const word = approvalWord(text)
  if (word === 'more') {
    const answer = ownText(approvalDetails(shown))
    return { kind: 'new', take: async () => ({ answer, isQuestion: true }) }
  }
  if (word !== undefined) {
    standing.asking = undefined
    await deps.queue.answer({ ...approvalAnswer(shown, word), by: principal.id }, 'chat')
    return { kind: 'goes-on', turn: record.id }
  }
  if (!planned) return undefined
  const left = stepLeftOut(text, planned.plan.steps.length)
  if (left === undefined) return undefined
  standing.asking = undefined
  await deps.flows.cancel(run)
  const plan = withoutStep(planned.plan, left)
  if (plan.steps.length === 0) {
    const said = done(ownText('Then nothing is left to do.'))
    return { kind: 'new', take: async () => said }
  }
  return {
    kind: 'new',
    take: (turn) => carryOut(deps, { ...planned, plan }, standing, turn),
  }
}

type AskingServer = Extract<Asking, { readonly kind: 'server' }>

/** Only a message from where the question was put is sent to the server. */
async function answerServer(
  { flows }: TurnDeps,
  message: Message,
  standing: Standing,
  asking: AskingServer,
): Promise<Answered | undefined> {
  const { open, record, run, place } = asking
  if (place !== placeOf(message)) return undefined
  const taken = takeAnswer(open, ownPart(message))
  if (!taken) return undefined
  const again = (next: ServerQuestion, text: string): void => {
    standing.asking = { ...asking, open: next }
    record.tell({ kind: 'question', text })
  }
  if (taken.kind === 'ask') again(taken.open, taken.text)
  else {
    standing.asking = undefined
    const problem = await send(flows, run, open, taken)
    const fresh = openQuestion(open.question, open.server)
    if (problem !== undefined) again(fresh, `${problem}. Once more.\n${showQuestion(fresh)}`)
  }
  return { kind: 'goes-on', turn: record.id }
}

/** A reply without the text that it replies to, which a channel adds below it as a quotation. */
function ownPart({ text, quoted }: Message): string {
  return quoted === undefined ? text : text.replace(/\n>[^]*$/, '')
}

/** The reason if the answer does not fit. A question that ended meanwhile takes no answer, and its run goes on. */
async function send(
  flows: Pick<TurnDeps['flows'], 'answer'>,
  run: string,
  { question }: ServerQuestion,
  { choice, value }: Extract<TakenAnswer, { readonly kind: 'send' }>,
): Promise<string | undefined> {
  try {
    await flows.answer(run, question.id, choice, value)
    return undefined
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return error.code === 'flows.unfit-answer' ? error.message : undefined
  }
}

const PLACES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']
const LEFT_OUT =
  /^(?:but )?(?:not|without|skip|drop|leave out)(?: the)?(?: step| number)? ([a-z]+|\d{1,2})(?: one| step)?[.!]?$/i

/** `not the second one`, `without step 2`, `skip the last`: the position of the step that is not wanted. */
export function stepLeftOut(text: string, steps: number): number | undefined {
  const word = LEFT_OUT.exec(text.trim())?.[1]?.toLowerCase() ?? ''
  const named = word === 'last' ? steps - 1 : PLACES.indexOf(word)
  const at = /^\d+$/.test(word) ? Number(word) - 1 : named
  return at >= 0 && at < steps ? at : undefined
}
