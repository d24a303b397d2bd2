/**
 * Tells a turn about the questions of its run. Does not hold the run's events up: of several calls that are asked about
 * together, the later ones have their answer already, and no question about them is ever opened.
 */
import type { ShownApproval } from '../kernel/approval-port.ts'
import type { TurnDeps } from './turn-deps.ts'

export interface QuestionWatch extends Disposable {
  /** The run says that this call waits for the owner. */
  see(callId: string): void
}

/** Tells each question once. Nothing is told after the watch was disposed of. */
export function watchQuestions(
  { queue, log }: Pick<TurnDeps, 'queue' | 'log'>,
  tell: (shown: ShownApproval) => void,
  signal: AbortSignal,
): QuestionWatch {
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  const told = new Set<string>()
  const watch = async (callId: string): Promise<void> => {
    const open = await queue.follow(callId, either)
    if (!open || either.aborted || told.has(open.id)) return
    told.add(open.id)
    const shown = await queue.show(open.id, true)
    if (!either.aborted) tell(shown)
  }
  return {
    see(callId) {
      void watch(callId).catch((error: unknown) => {
        log.warn('A question cannot be put in the chat', { error })
      })
    },
    [Symbol.dispose]: () => ending.abort(),
  }
}
