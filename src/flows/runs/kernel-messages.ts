/**
 * Messages among the kernels of one PostgreSQL, by NOTIFY: a run was cancelled, a question was answered, a run is followed
 * elsewhere. A message may be lost with its connection, so each only hastens what polling the rows finds as well.
 */
import type { Sql } from 'postgres'
import type { FlowEvent } from '../../ports/flow-port.ts'

export type KernelMessage =
  | { readonly kind: 'cancelled' | 'replied' | 'followed'; readonly run: string }
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

/** Repeats what others say, until the connection is lost for good; a message that cannot be read is left out. */
export async function hearMessages(
  sql: Sql,
  hear: (message: KernelMessage) => void,
): Promise<void> {
  await sql.listen(CHANNEL, (text) => {
    const message = readMessage(text)
    if (message) hear(message)
  })
}

function readMessage(text: string): KernelMessage | undefined {
  try {
    return JSON.parse(text) as KernelMessage
  } catch {
    return undefined
  }
}
