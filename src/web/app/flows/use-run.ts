/** One run as it goes on: its steps are read anew at each event, until it is over. A kernel that restarts is waited for. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FlowTrace } from '../../../ports/flow-port.ts'
import type { RunState } from '../../../kernel/run-state.ts'
import { ask, isPassing, Refused } from '../ask.ts'
import type { Live } from '../live.ts'

const RETRY_MS = 500

export function isOver(state: RunState): boolean {
  return state !== 'running' && state !== 'asking'
}

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
    void follow(id, { data, error }, ending.signal)
    return () => ending.abort()
  }, [id, round.value])
  return {
    data,
    error,
    reload: async () => void (round.value += 1),
  }
}

interface Followed {
  readonly data: Signal<FlowTrace | undefined>
  readonly error: Signal<Refused | undefined>
}

async function follow(id: string, { data, error }: Followed, signal: AbortSignal): Promise<void> {
  let after = 0
  while (!signal.aborted) {
    try {
      data.value = await ask('flows.show', { id }, signal)
      error.value = undefined
      if (isOver(data.value.state)) return
      const { events } = await ask('flows.follow', { id, after }, signal)
      after = events.at(-1)?.number ?? after
    } catch (failure) {
      if (signal.aborted) return
      if (!(failure instanceof Refused)) throw failure
      error.value = failure
      if (!isPassing(failure)) return
      after = 0 // events are counted anew by the next kernel
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
