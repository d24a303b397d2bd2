/**
 * Messages among the kernels of one PostgreSQL, by NOTIFY: a run was cancelled, a question was answered, a run is followed
 * elsewhere. A message may be lost with its connection, so each only hastens what polling the rows finds as well.
 */
import postgres, { type Sql } from 'postgres'
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
  /** Leaves no connection behind. Takes as long as the server takes to answer. */
  end(): Promise<void>
}

/**
 * A connection of its own, not the driver's `listen`: that one (3.4.9) connects anew after a loss even while it is being
 * ended, and then stays open for ever. A message that cannot be read is left out.
 */
export function createHearing(
  options: postgres.Options<never>,
  hear: (message: KernelMessage) => void,
): Hearing {
  let isOver = false
  let client: Sql | undefined
  let asked: Promise<unknown> = Promise.resolve()
  const listen = (): void => {
    if (client && !isOver) asked = client.unsafe(`LISTEN ${CHANNEL}`).catch(() => undefined)
  }
  const onnotify = (_channel: string, text: string): void => {
    const message = readMessage(text)
    if (message) hear(message)
  }
  return {
    begin() {
      if (isOver || client) return
      const heard = { ...options, max: 1, onclose: listen, onnotify } // `onnotify` is missing in the driver's types
      client = postgres(heard)
      listen()
    },
    async end() {
      isOver = true
      await asked
      await client?.end()
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
