/**
 * Follows a run to its end: shows its progress, puts its questions to the person at the terminal, and cancels it when
 * they leave. The kernel owns the run, which would go on without this process.
 */
import { followFlow, isOver, type RunNews } from '../../api/client.ts'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowEvent, FlowRun } from '../../ports/flow-port.ts'
import { attendApproval, isAnswered } from '../commands/approval-asking.ts'
import type { Terminal } from '../context.ts'
import { answerInput } from './answer-input.ts'
import { createProgress, type RunProgress } from './run-progress.ts'

/** After Ctrl-C, the longest wait for a kernel that does not answer. */
const CANCEL_MS = 5000

interface Attending {
  readonly api: Api
  readonly terminal: Terminal
  readonly progress: RunProgress
  readonly wait: boolean
}

/** Resolves when the run has ended, or waits for an answer that the owner has to give later. */
export async function followRun(
  api: Api,
  terminal: Terminal,
  { id, wait }: { readonly id: string; readonly wait: boolean },
  signal: AbortSignal,
): Promise<FlowRun> {
  const progress = createProgress(terminal)
  try {
    return await attend({ api, terminal, progress, wait }, id, signal)
  } catch (error) {
    progress.clear()
    if (!signal.aborted) {
      terminal.stderr.write(
        `cordon: the run is kept; \`cordon flow resume ${id}\` attends it again\n`,
      )
      throw error
    }
    terminal.stderr.write(`cordon: cancelling run ${id} …\n`)
    return await cancel(api, id)
  } finally {
    progress.clear()
  }
}

async function cancel(api: Api, id: string): Promise<FlowRun> {
  const limit = AbortSignal.timeout(CANCEL_MS)
  try {
    return await api.call('flows.cancel', { id }, limit)
  } catch (error) {
    if (!limit.aborted) throw error
    throw new CordonError(
      'cli.not-cancelled',
      { exit: 5, hint: `Run \`cordon flow cancel ${id}\` when the kernel answers again` },
      `Cannot cancel the run ${id}: the kernel does not answer`,
      error,
    )
  }
}

async function attend(attending: Attending, id: string, signal: AbortSignal): Promise<FlowRun> {
  const { api, progress } = attending
  const ended = new AbortController()
  const attended = AbortSignal.any([signal, ended.signal])
  const questions = createQuestions(attending, attended)
  const hear = async ({ run, events }: RunNews): Promise<boolean> => {
    for (const event of events) tell(event, progress, questions)
    questions.look(run)
    return isOver(run) && !(await answered(attending, run, attended))
  }
  try {
    return await Promise.race([followFlow(api, id, hear, attended), questions.failed])
  } finally {
    ended.abort()
    await questions.settled()
  }
}

/** Puts a server's elicitation to the person at the terminal. False without a terminal or an elicitation. */
async function answered(
  { api, terminal, progress }: Attending,
  { id, state, question }: FlowRun,
  signal: AbortSignal,
): Promise<boolean> {
  const isThere = terminal.stdin.isTTY && terminal.stderr.isTTY
  if (state !== 'asking' || question?.kind !== 'input' || !isThere) return false
  progress.hold()
  try {
    const asked = { id, question: question.id }
    await answerInput(
      terminal,
      question,
      async (answer) => void (await api.call('flows.answer', { ...asked, ...answer }, signal)),
      signal,
    )
  } finally {
    progress.release()
  }
  return true
}

function tell({ kind, text, callId }: FlowEvent, progress: RunProgress, { put }: Questions): void {
  if (kind !== 'started' && kind !== 'begins' && kind !== 'ended') progress.show(text)
  if (kind === 'asks' && callId !== undefined) put(callId)
}

interface Questions {
  readonly put: (callId: string) => void
  /** Withdraws a question that the run no longer waits for. */
  look(run: FlowRun): void
  /** Never resolves; rejects if a question cannot be shown. */
  readonly failed: Promise<never>
  settled(): Promise<void>
}

/** Sequentially: a terminal shows one question at a time. */
function createQuestions(attending: Attending, signal: AbortSignal): Questions {
  const { api, terminal, progress, wait } = attending
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined) // handled where it is raced
  let last: Promise<void> = Promise.resolve()
  let gone = new AbortController()
  let wasAsking = false
  const ask = async (callId: string, over: AbortSignal): Promise<void> => {
    progress.hold()
    try {
      await attendApproval(terminal, api, { callId, wait }, over)
    } catch (error) {
      if (!over.aborted && !isAnswered(error)) reject(error)
    } finally {
      progress.release()
    }
  }
  return {
    put(callId) {
      const over = AbortSignal.any([signal, gone.signal])
      last = last.then(() => ask(callId, over))
    },
    look({ state }) {
      if (wasAsking && state !== 'asking') {
        gone.abort()
        gone = new AbortController()
      }
      wasAsking = state === 'asking'
    },
    failed,
    settled: () => last,
  }
}
