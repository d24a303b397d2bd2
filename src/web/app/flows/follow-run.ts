/**
 * Follows one run until it is over. An event changes what is known of the run at once, at a cost that does not depend on
 * its length; its steps are all read anew for that, so at most once a second, and in a fifth of the time at most.
 */
import type { FlowRun, FlowTrace } from '../../../ports/flow-port.ts'
import type { RunState } from '../../../kernel/run-state.ts'

const RETRY_MS = 500
const SHOW_MS = 1000
/** How many times as long as a reading took the next one waits. */
const REST = 4

export interface RunReader {
  show(): Promise<FlowTrace>
  /** Answers when there is an event after this number, or after a while. */
  follow(after: number): Promise<{
    readonly run: FlowRun
    readonly events: readonly { readonly number: number }[]
  }>
  /** Resolves after this time, or when the page is left. */
  pause(ms: number): Promise<void>
}

export interface RunView {
  /** Shows the run as it is known now, and that the kernel is there. */
  tell(trace: FlowTrace): void
  /** Whether to try again. Throws what is no answer of the kernel. */
  fail(failure: unknown): boolean
}

export function isOver(state: RunState): boolean {
  return state !== 'running' && state !== 'asking'
}

export async function followRun(
  reader: RunReader,
  view: RunView,
  signal: AbortSignal,
): Promise<void> {
  let after = 0
  while (!signal.aborted) {
    try {
      const began = performance.now()
      const trace = await reader.show()
      const rest = Math.max(SHOW_MS, REST * (performance.now() - began))
      view.tell(trace)
      if (isOver(trace.state)) return
      const { run, events } = await reader.follow(after)
      after = events.at(-1)?.number ?? after
      const { steps, ir } = trace
      if (!isOver(run.state)) {
        view.tell({ ...run, steps, ir })
        await reader.pause(rest - (performance.now() - began))
      }
    } catch (failure) {
      if (signal.aborted) return
      if (!view.fail(failure)) return
      after = 0 // events are counted anew by the next kernel
      await reader.pause(RETRY_MS)
    }
  }
}
