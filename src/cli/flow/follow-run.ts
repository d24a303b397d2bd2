/**
 * Attends a run from here to its end: shows how it gets on, puts its questions to whoever sits here, and cancels it when
 * that person leaves. The run itself is the kernel's; it would go on without us.
 */
import type { Api } from '../../kernel/api.ts'
import type { FlowEvent, FlowRun } from '../../kernel/flow-port.ts'
import { pausePoll } from '../../kernel/long-poll.ts'
import { attendApproval, isAnswered } from '../commands/approval-asking.ts'
import type { Terminal } from '../surface.ts'
import { answerInput } from './ask-fields.ts'
import { createProgress, type RunProgress } from './run-progress.ts'

interface Attending {
  readonly api: Api
  readonly terminal: Terminal
  readonly progress: RunProgress
  readonly wait: boolean
}

/** Resolves when the run has ended, or needs an answer that only its owner can give later. */
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
    return await api.call('flows.cancel', { id })
  } finally {
    progress.clear()
  }
}

async function attend(attending: Attending, id: string, signal: AbortSignal): Promise<FlowRun> {
  const { api, progress } = attending
  const ended = new AbortController()
  const questions = createQuestions(attending, AbortSignal.any([signal, ended.signal]))
  let after = 0
  try {
    for (;;) {
      const following = api.call('flows.follow', { id, after }, signal)
      const { run, events } = await Promise.race([following, questions.failed])
      for (const event of events) tell(event, progress, questions)
      after = events.at(-1)?.number ?? after
      questions.look(run)
      if (isOver(run) && !(await answered(attending, run, signal))) return run
      if (events.length === 0) await pausePoll(signal)
    }
  } finally {
    ended.abort()
    await questions.settled()
  }
}

/** What a server asks is answered here where somebody sits here; all else is for later. */
async function answered(
  { api, terminal, progress }: Attending,
  { id, state, question }: FlowRun,
  signal: AbortSignal,
): Promise<boolean> {
  const isThere = terminal.stdin.isTTY && terminal.stderr.isTTY
  if (state !== 'asking' || question?.kind !== 'input' || !isThere) return false
  progress.hold()
  try {
    await answerInput(terminal, api, { id, question }, signal)
  } finally {
    progress.release()
  }
  return true
}

function tell({ kind, text, callId }: FlowEvent, progress: RunProgress, { put }: Questions): void {
  if (kind !== 'started' && kind !== 'ended') progress.show(text)
  if (kind === 'asks' && callId !== undefined) put(callId)
}

/** Ended, or waiting for a word that is not a yes to a call. */
function isOver({ state, question }: FlowRun): boolean {
  return (state !== 'running' && state !== 'asking') || question !== undefined
}

interface Questions {
  readonly put: (callId: string) => void
  /** A question that the run no longer waits for is taken away. */
  look(run: FlowRun): void
  /** Never resolves; rejects where a question cannot be put at all. */
  readonly failed: Promise<never>
  settled(): Promise<void>
}

/** One after the other: a terminal holds one question at a time. */
function createQuestions(attending: Attending, signal: AbortSignal): Questions {
  const { api, terminal, progress, wait } = attending
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined) // told to whoever races it
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
