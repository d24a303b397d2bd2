/**
 * Tasks whose question outlived the client's patience. The same call, made again, is the same task: it finds the answer
 * that the owner gave meanwhile, once. Any other outcome ends the task, so that a later call is asked about anew. Where
 * several kernels share the store the tasks are there: the call may be made again at another kernel.
 */
import type { Notes } from '../kernel/ports.ts'

/** A call that waits: `key` names its bytes, its client and its label, and takes time to make. */
export interface WaitingCall {
  readonly principal: string
  readonly key: () => string
}

export interface Waited {
  readonly task?: string
  /** Whether its client may leave another question open. */
  readonly mayLeave: boolean
}

export interface WaitingCalls {
  take(call: WaitingCall): Waited | Promise<Waited>
  keep(call: WaitingCall, task: string): void | Promise<void>
}

const MOST_WAITING = 1000
/** Questions that one client may leave open; the owner's list is short. */
const MOST_LEFT = 5
/** As long as the owner's answer can still come. */
const LEFT_MS = 15 * 60_000
const KIND = 'gateway.waiting'

interface Left {
  readonly task: string
  readonly of: string
  readonly until: number
}

const NONE: Waited = { mayLeave: true }

export function createWaitingCalls(now: () => number): WaitingCalls {
  const tasks = new Map<string, Left>()
  return {
    take({ principal, key }) {
      if (tasks.size === 0) return NONE
      const id = key()
      const task = tasks.get(id)?.task
      tasks.delete(id)
      return waited(task, [...tasks.values()], { principal, at: now() })
    },
    keep({ principal, key }, task) {
      const [oldest] = tasks.keys()
      if (tasks.size >= MOST_WAITING && oldest !== undefined) tasks.delete(oldest)
      tasks.set(key(), { task, of: principal, until: now() + LEFT_MS })
    },
  }
}

export function createSharedWaitingCalls(notes: Notes, now: () => number): WaitingCalls {
  const read = async (): Promise<ReadonlyMap<string, Left>> => {
    const rows = await notes.list(KIND)
    return new Map(rows.map(({ id, content }) => [id, JSON.parse(content) as Left]))
  }
  return {
    async take({ principal, key }) {
      const tasks = await read()
      if (tasks.size === 0) return NONE
      const id = key()
      const found = tasks.get(id)
      // Its question may be answered and used once, whichever kernel comes first.
      if (found) await notes.remove(KIND, id)
      const others = [...tasks].filter(([one]) => one !== id).map(([, left]) => left)
      const isOver = found !== undefined && found.until <= now()
      return waited(isOver ? undefined : found?.task, others, { principal, at: now() })
    },
    async keep({ principal, key }, task) {
      const tasks = await read()
      for (const [id, { until }] of tasks) if (until <= now()) await notes.remove(KIND, id)
      if (tasks.size >= MOST_WAITING) return
      const left: Left = { task, of: principal, until: now() + LEFT_MS }
      await notes.put(KIND, key(), JSON.stringify(left))
    },
  }
}

function waited(
  task: string | undefined,
  others: readonly Left[],
  { principal, at }: { readonly principal: string; readonly at: number },
): Waited {
  const left = others.filter(({ of, until }) => of === principal && until > at)
  return { ...(task !== undefined && { task }), mayLeave: left.length < MOST_LEFT }
}
