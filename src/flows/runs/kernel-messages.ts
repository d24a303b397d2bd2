/**
 * Messages among the kernels of one PostgreSQL, by NOTIFY: a run was cancelled, a question was answered, a run is followed
 * elsewhere. A message may be lost with its connection, so each only hastens what polling the rows finds as well.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from 'postgres'
import type { FlowEvent } from '../../ports/flow-port.ts'

export type KernelMessage =
  | { readonly kind: 'cancelled' | 'replied'; readonly run: string }
  | {
      readonly kind: 'followed'
      readonly run: string
      /** The last event that the follower has, and the process that it came from. */
      readonly last?: { readonly by: string; readonly number: number }
    }
  | {
      readonly kind: 'events'
      readonly run: string
      /** The process that works on the run; its events are numbered. */
      readonly by: string
      readonly events: readonly FlowEvent[]
    }

const CHANNEL = 'cordon_flows'
/** PostgreSQL refuses a longer one. */
export const LONGEST_MESSAGE = 7900

export async function sendMessage(sql: Sql, message: KernelMessage): Promise<void> {
  await sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify(message)})`
}

/** The connection over which a pool hears messages. */
export interface Hearing {
  /** Listens from now on, if it does not already. */
  begin(): void
  /** Call it before the pool is ended: the driver (3.4.9) leaves a connection open that it is still making then. */
  end(): Promise<void>
}

const END_MS = 1000

/** A message that cannot be read is left out. */
export function createHearing(sql: Sql, hear: (message: KernelMessage) => void): Hearing {
  let isOver = false
  let made: Promise<unknown> | undefined
  return {
    begin() {
      if (isOver) return
      made ??= sql
        .listen(CHANNEL, (text) => {
          const message = readMessage(text)
          if (message) hear(message)
        })
        .catch(() => {
          made = undefined
        })
    },
    async end() {
      isOver = true
      await Promise.race([made, pause(END_MS, undefined, { ref: false })])
    },
  }
}

function readMessage(text: string): KernelMessage | undefined {
  try {
    return JSON.parse(text) as KernelMessage
  } catch {
    return undefined
  }
}
