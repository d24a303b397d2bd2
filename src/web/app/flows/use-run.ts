/** One run as it goes on, until it is over. A kernel that restarts is waited for. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FlowTrace } from '../../../ports/flow-port.ts'
import { ask, isPassing, Refused } from '../ask.ts'
import type { Live } from '../live.ts'
import { followRun, type RunReader, type RunView } from './follow-run.ts'

export interface FollowedRun extends Live<FlowTrace> {
  /** Follows it again, after it was over. */
  readonly reload: () => Promise<void>
}

export function useRun(id: string): FollowedRun {
  const data = useSignal<FlowTrace | undefined>(undefined)
  const error = useSignal<Refused | undefined>(undefined)
  const round = useSignal(0)
  useEffect(() => {
    const ending = new AbortController()
    const view: RunView = {
      tell(trace) {
        data.value = trace
        error.value = undefined
      },
      fail(failure) {
        if (!(failure instanceof Refused)) throw failure
        error.value = failure
        return isPassing(failure)
      },
    }
    void followRun(readerOf(id, ending.signal), view, ending.signal)
    return () => ending.abort()
  }, [id, round.value])
  return {
    data,
    error,
    reload: async () => void (round.value += 1),
  }
}

function readerOf(id: string, signal: AbortSignal): RunReader {
  return {
    show: async () => await ask('flows.show', { id }, signal),
    follow: async (after) => await ask('flows.follow', { id, after }, signal),
    async pause(ms) {
      if (signal.aborted || ms <= 0) return
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        signal.addEventListener('abort', end)
      })
    },
  }
}
