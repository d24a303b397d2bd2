/**
 * Handles a server's elicitations, in both protocol eras and one at a time. Only a server that works on a call may
 * ask. The question and the action taken go into the server's log; the answer itself never does.
 */
import type { Elicit, Question, QuestionAnswer } from '../../kernel/elicitation.ts'
import { seenText } from '../../text/untrusted-text.ts'
import type { JsonObject } from '../../text/json.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { CallClocks } from './call-clocks.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
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

/** Length of the queue of questions; further ones are declined. */
const MAX_WAITING = 8
const MAX_SIZE = 2 ** 20

export function createElicitationHandler(parts: HandlerParts): ElicitationHandler {
  const { ring, redact } = parts
  const serially = createSerialQueue()
  let waiting = 0
  const decline = (why: string): QuestionAnswer => {
    ring.add('cordon', `A question of the server was not put to its owner: it ${why}`)
    return { action: 'decline' }
  }
  return async (params, signal) => {
    const reading = read(params, redact)
    if (reading.kind === 'unfit') return decline(reading.why)
    if (waiting >= MAX_WAITING) return decline('asks too much at once')
    waiting += 1
    const answer = await serially(() => put(parts, reading.question, signal))
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
  signal: AbortSignal,
): Promise<QuestionAnswer | 'no-call' | undefined> {
  using held = clocks.hold()
  if (!held) return 'no-call'
  const given = AbortSignal.any([held.signal, signal])
  if (given.aborted) return { action: 'cancel' }
  const tell = (what: string): void =>
    ring.add('cordon', `The server asked its owner ${JSON.stringify(question.message)}: ${what}`)
  const gone = new Promise<QuestionAnswer>((resolve) => {
    given.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
  })
  try {
    const answer = await Promise.race([elicit(server, question, given), gone])
    if (answer) tell(answer.action)
    return answer
  } catch {
    return undefined
  }
}
