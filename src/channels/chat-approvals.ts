/**
 * Approvals in a chat: a call that needs one is put as a question, and the next message answers it with `y`, `a`, `n` or
 * `?`. Any other message leaves the question open; it ends by itself after five minutes, which is a no.
 */
import { randomUUID } from 'node:crypto'
import type { Api, Output } from '../api/contract.ts'
import type { ShownApproval } from '../kernel/approval-port.ts'
import type { GrantOffer } from '../kernel/tool-call.ts'
import type { DirectCall } from './direct-call.ts'

export type ApprovalsApi = Api<
  'mcp.call' | 'approvals.follow' | 'approvals.show' | 'approvals.answer'
>

type Result = Output<'mcp.call'>

interface Waiting {
  readonly shown: ShownApproval
  readonly result: Promise<Result>
}

export interface ChatApprovals {
  /** The result of the call, or the question about it. `signal` ends the call as long as no question is put. */
  call(call: DirectCall, signal: AbortSignal): Promise<Result | string>
  /** The answer to an open question; undefined if there is none, or the message is no answer. */
  answer(text: string): Promise<Result | string | undefined>
}

export function createChatApprovals(api: ApprovalsApi): ChatApprovals {
  let waiting: Waiting | undefined
  return {
    async call(call, signal) {
      const callId = randomUUID()
      const [over, left] = [new AbortController(), new AbortController()]
      const leave = (): void => left.abort()
      signal.addEventListener('abort', leave, { once: true })
      const result = api.call('mcp.call', { ...call, callId, approval: 'wait' }, left.signal)
      void result.finally(() => over.abort()).catch(() => undefined)
      const first = await Promise.race([result, asked(api, callId, over.signal)])
      if (first === undefined) return await result
      if ('kind' in first) return first
      // From here on the call waits for an answer that comes with a later message.
      signal.removeEventListener('abort', leave)
      const shown = await api.call('approvals.show', { id: first.id, full: true })
      waiting = { shown, result }
      return question(shown)
    },
    async answer(text) {
      const word = text.trim().toLowerCase()
      if (!waiting || !KEYS.test(word)) return undefined
      const { shown, result } = waiting
      if (word === '?') return [...textOf(shown.more), howTo(shown)].join('\n')
      waiting = undefined
      const isYes = word !== 'n' && word !== 'no'
      const grant = word === 'a' || word === 'always' ? offerIn(shown) : undefined
      const allow = isYes ? shown.items.map(({ digest }) => digest) : []
      const said = { id: shown.id, allow, channel: 'chat', ...(grant && { grant }) } as const
      await api.call('approvals.answer', said)
      return await result
    },
  }
}

const KEYS = /^(?:y|yes|a|always|n|no|\?)$/

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

function question(shown: ShownApproval): string {
  return [...textOf(shown.lines), howTo(shown)].join('\n')
}

function howTo(shown: ShownApproval): string {
  const always = offerIn(shown) ? 'a = yes, and always for this tool; ' : ''
  return `Allow it? y = yes, once; ${always}n = no; ? = more`
}

function offerIn({ items }: ShownApproval): GrantOffer | undefined {
  return (['tool', 'flow', 'spend', 'contact'] as const).find((offer) =>
    items.every(({ offers }) => offers.includes(offer)),
  )
}

function textOf(lines: ShownApproval['lines']): readonly string[] {
  return lines.map((line) => line.map(({ text }) => text).join(''))
}
