/**
 * Approvals in a chat: a call that needs one is put as a question, and the next message answers it with `y`, `a`, `n` or
 * `?`. Any other message leaves the question open; it ends by itself after five minutes, which is a no.
 */
import { randomUUID } from 'node:crypto'
import type { Api, Output } from '../api/contract.ts'
import type { ShownApproval } from '../kernel/approval-port.ts'
import {
  approvalAnswer,
  approvalDetails,
  approvalQuestion,
  approvalWord,
} from '../kernel/approval-words.ts'
import { createChatQuestions, type QuestionsApi } from './chat-questions.ts'
import type { DirectCall } from './direct-call.ts'

export type ApprovalsApi = Api<
  'mcp.call' | 'approvals.follow' | 'approvals.show' | 'approvals.answer'
> &
  QuestionsApi

type Result = Output<'mcp.call'>

interface Waiting {
  readonly shown: ShownApproval
  readonly calling: Calling
}

export interface ChatApprovals {
  /** The result of the call, or the question about it. `signal` ends the call as long as no question is put. */
  call(call: DirectCall, signal: AbortSignal): Promise<Result | string>
  /** The answer to an open question; undefined if there is none, or the message is no answer. */
  answer(text: string): Promise<Result | string | undefined>
}

export function createChatApprovals(api: ApprovalsApi): ChatApprovals {
  const questions = createChatQuestions(api)
  let waiting: Waiting | undefined
  let questioned: Calling | undefined
  /** The result, or the next question of the server. */
  const goOn = async (calling: Calling): Promise<Result | string> => {
    const { callId, result, over, stay } = calling
    const first = await Promise.race([result, questions.next(callId, over)])
    if (typeof first !== 'string') return first ?? (await result)
    stay()
    questioned = calling
    return first
  }
  return {
    async call(call, signal) {
      const calling = begin(api, { ...call, callId: randomUUID() }, signal)
      const { callId, result, over, stay } = calling
      const first = await Promise.race([goOn(calling), asked(api, callId, over)])
      if (first === undefined) return await result
      if (typeof first === 'string' || 'kind' in first) return first
      stay()
      const shown = await api.call('approvals.show', { id: first.id, full: true })
      waiting = { shown, calling }
      return approvalQuestion(shown)
    },
    async answer(text) {
      const answered = await questions.answer(text)
      if (typeof answered === 'string') return answered
      if (answered && questioned) return await goOn(questioned)
      const word = approvalWord(text)
      if (!waiting || word === undefined) return undefined
      const { shown, calling } = waiting
      if (word === 'more') return approvalDetails(shown)
      waiting = undefined
      await api.call('approvals.answer', { ...approvalAnswer(shown, word), channel: 'chat' })
      return await goOn(calling)
    },
  }
}

/** From `stay` on the call waits for an answer that comes with a later message, so its own message no longer ends it. */
interface Calling {
  readonly callId: string
  readonly result: Promise<Result>
  readonly over: AbortSignal
  readonly stay: () => void
}

function begin(
  api: ApprovalsApi,
  call: DirectCall & { readonly callId: string },
  signal: AbortSignal,
): Calling {
  const [over, left] = [new AbortController(), new AbortController()]
  const leave = (): void => left.abort()
  signal.addEventListener('abort', leave, { once: true })
  const input = { ...call, approval: 'wait', canAnswer: true } as const
  const result = api.call('mcp.call', input, left.signal)
  void result.finally(() => over.abort()).catch(() => undefined)
  const stay = (): void => signal.removeEventListener('abort', leave)
  return { callId: call.callId, result, over: over.signal, stay }
}

/** The question about this call; undefined when the call is over without one. */
async function asked(
  api: ApprovalsApi,
  callId: string,
  over: AbortSignal,
): Promise<ShownApproval | undefined> {
  while (!over.aborted) {
    const { approval } = await api.call('approvals.follow', { callId }, over)
    if (approval) return approval
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return undefined
}

const PAUSE_MS = 50
