/** Checks the text of a flow shortly after each change. The last text that could be read stays drawn while one types. */
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FlowCheck } from '../../../ports/flow-port.ts'
import { ask, Refused } from '../ask.ts'
import { sourceOf } from './flow-drafts.ts'
import { type FlowShape, readShape } from './flow-shape.ts'

const DEBOUNCE_MS = 250

export interface Checked {
  readonly text: string
  readonly check: FlowCheck
  readonly shape: FlowShape
}

export interface Checking {
  /** The last text that could be read. */
  readonly last: ReadonlySignal<Checked | undefined>
  /** Why the present text cannot be read. */
  readonly problem: ReadonlySignal<Pick<Refused, 'message' | 'hint'> | undefined>
}

const NO_JSON = {
  message: 'Cannot read the flow as JSON yet',
  hint: 'Mind quotes and commas',
} as const

export function useCheck(text: string): Checking {
  const last = useSignal<Checked | undefined>(undefined)
  const problem = useSignal<Pick<Refused, 'message' | 'hint'> | undefined>(undefined)
  useEffect(() => {
    const ending = new AbortController()
    const check = async (): Promise<void> => {
      if (text.trim() === '') return void (last.value = problem.value = undefined)
      const source = sourceOf(text)
      if (!source) return void (problem.value = NO_JSON)
      try {
        const found = await ask('flows.check', { source }, ending.signal)
        last.value = { text, check: found, shape: readShape(found.ir) }
        problem.value = undefined
      } catch (error) {
        if (ending.signal.aborted) return
        if (!(error instanceof Refused)) throw error
        problem.value = error
      }
    }
    const timer = setTimeout(() => void check(), last.value ? DEBOUNCE_MS : 0)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [text])
  return { last, problem }
}
