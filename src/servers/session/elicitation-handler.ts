/**
 * Handles a server's elicitations, in both protocol eras. Only a server that works on a call may ask. The question and
 * the action taken go into the server's log; the answer itself never does. Questions of different calls do not wait for
 * each other: the call is known where it was answered with the question (2026-07-28), and where the question came on the
 * call's own HTTP stream. Over standard input the older versions do not say which call a question belongs to.
 */
import type { Elicit, Question, QuestionAnswer } from '../../kernel/elicitation.ts'
import { createSerialQueue, type SerialQueue } from '../../text/serial-queue.ts'
import { seenText } from '../../text/untrusted-text.ts'
import type { JsonObject } from '../../text/json.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { CallClock, CallClocks } from './call-clocks.ts'
import { cleanJson, OutOfBounds } from './json-bounds.ts'
import type { LogRing } from './log-ring.ts'
import type { ElicitationHandler } from './mcp-client.ts'
import { type QuestionReading, readQuestion } from './question.ts'

interface HandlerParts {
  readonly server: ServerId
  readonly elicit: Elicit
  readonly clocks: CallClocks
  readonly ring: LogRing
  readonly redact: (text: string) => string
}

/** Questions that may be open for each call that is under way; further ones are declined. */
const MAX_WAITING = 8
const MAX_SIZE = 2 ** 20

export function createElicitationHandler(parts: HandlerParts): ElicitationHandler {
  const { ring, redact, clocks } = parts
  const turns = new WeakMap<CallClock, SerialQueue>()
  /** The questions of one call are put one at a time. */
  const inTurn = async <T>(call: CallClock | undefined, work: () => Promise<T>): Promise<T> => {
    if (!call) return await work()
    const turn = turns.get(call) ?? createSerialQueue()
    turns.set(call, turn)
    return await turn(work)
  }
  let waiting = 0
  const decline = (why: string): QuestionAnswer => {
    ring.add('cordon', `A question of the server was not put to its owner: it ${why}`)
    return { action: 'decline' }
  }
  return async (params, own, signal) => {
    const reading = read(params, redact)
    if (reading.kind === 'unfit') return decline(reading.why)
    if (clocks.underWay === 0) return decline('works on no call')
    if (waiting >= MAX_WAITING * clocks.underWay) return decline('asks too much at once')
    waiting += 1
    const call = own ?? clocks.only
    const answer = await inTurn(call, () => put(parts, reading.question, call, signal))
    waiting -= 1
    if (answer === 'no-call') return decline('works on no call')
    if (answer) return answer
    decline('came while nobody was there to answer')
    return { action: 'cancel' }
  }
}

function read(params: JsonObject, redact: HandlerParts['redact']): QuestionReading {
  try {
    const clean = (text: string): string => redact(seenText(text))
    return readQuestion(cleanJson(params, clean, MAX_SIZE) as JsonObject)
  } catch (error) {
    if (error instanceof OutOfBounds) return { kind: 'unfit', why: error.message }
    throw error
  }
}

/** Undefined if the question reached no person; the log then does not claim that it did. */
async function put(
  { server, elicit, clocks, ring }: HandlerParts,
  question: Question,
  call: CallClock | undefined,
  signal: AbortSignal,
): Promise<QuestionAnswer | 'no-call' | undefined> {
  using held = clocks.hold(call)
  if (!held) return 'no-call'
  const given = AbortSignal.any([held.signal, signal])
  if (given.aborted) return { action: 'cancel' }
  const tell = (what: string): void =>
    ring.add('cordon', `The server asked its owner ${JSON.stringify(question.message)}: ${what}`)
  const gone = new Promise<QuestionAnswer>((resolve) => {
    given.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
  })
  try {
    const answer = await Promise.race([elicit(server, question, held.calls, given), gone])
    if (answer) tell(answer.action)
    return answer
  } catch {
    return undefined
  }
}
