/** Questions that a server asks during a call (MCP elicitation): followed and answered by the surface that called. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { CallProgress } from '../text/call-progress.ts'
import type { Json } from '../text/json.ts'
import type { CallsUnderWay } from './calls.ts'
import { json } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface CallQuestionContract {
  /**
   * The open question of a call that said `canAnswer`, or the last that its server said about its progress; waits up to
   * 20 seconds for a question, or for a `count` above `after`. Untrusted text of its server.
   */
  'mcp.question': {
    surface: 'any'
    input: { readonly callId: string; readonly after?: number }
    output: {
      readonly question: FlowQuestion | null
      readonly progress?: { readonly count: number; readonly text: string }
    }
  }
  'mcp.answer': {
    surface: 'any'
    input: {
      readonly callId: string
      readonly question: string
      readonly choice: 'accept' | 'decline' | 'cancel'
      readonly value?: Readonly<Record<string, Json>>
    }
    output: Nothing
  }
}

interface Caller {
  readonly run: string
  readonly callId: string
  readonly node: string
  readonly server: ServerId
  readonly tell: () => void
  readonly isUnattended: boolean
}

export interface CallQuestionDeps {
  readonly progress: CallProgress
  /** A call is followed here like a run of a flow, by the id of the call. */
  readonly input: {
    during<T>(caller: Caller, work: () => Promise<T>): Promise<T>
    question(run: string): FlowQuestion | undefined
    answer(run: string, id: string, choice: string, value: Json | undefined): boolean
  }
}

const FOLLOW_MS = 20_000

export function callQuestionRoutes(
  { input, progress }: CallQuestionDeps,
  underWay: CallsUnderWay,
): Routes<CallQuestionContract> {
  const callId = z.uuid()
  return {
    'mcp.question': {
      surface: 'any',
      input: z.strictObject({ callId, after: z.int().min(0).exactOptional() }),
      async handle({ callId: id, after }, signal) {
        const ended = underWay.get(id)?.signal
        const over = ended ? AbortSignal.any([signal, ended]) : signal
        // Without `after` the caller waits for a question alone.
        const hasNews = (): boolean => (progress.of(id)?.count ?? 0) > (after ?? Infinity)
        if (!input.question(id) && !hasNews()) await progress.changes.next(id, over, FOLLOW_MS)
        const said = progress.of(id)
        return { question: input.question(id) ?? null, ...(said && { progress: said }) }
      },
    },
    'mcp.answer': {
      surface: 'any',
      input: z.strictObject({
        callId,
        question: z.string().min(1).max(100),
        choice: z.enum(['accept', 'decline', 'cancel']),
        value: z.record(z.string(), json).exactOptional(),
      }),
      async handle({ callId: id, question, choice, value }) {
        if (!input.answer(id, question, choice, value)) throw notAsked()
        return {}
      },
    },
  }
}

function notAsked(): CordonError {
  return new CordonError(
    'kernel.no-question',
    { exit: 2, hint: 'Call the tool again; a question ends with its call' },
    'Cannot answer the server: it does not ask this any more',
  )
}
