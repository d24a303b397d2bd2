/**
 * Deliveries in the store: a row is written before anything is sent, and its state after each step, so that a process
 * which dies leaves its place. Holds no result: that stays with its run.
 */
import { z } from 'zod'
import type { NoticeKind } from '../ports/notice-port.ts'
import type { DeliveryState, ToldLine } from '../ports/delivery-port.ts'
import type { Log, Notes } from '../kernel/ports.ts'

const KIND = 'delivery'
/** Receipts are kept as long as runs are, and no more than so many. */
const KEEP_MS = 30 * 24 * 3_600_000
const MOST = 500

export interface DeliveryRow {
  /** The run, or the idempotency key of a line. */
  readonly id: string
  readonly flow?: string
  readonly sink: string
  readonly isForOwner: boolean
  readonly line?: Pick<ToldLine, 'text' | 'notice'>
  readonly state: DeliveryState
  /** Milliseconds; of the last change. */
  readonly at: number
  readonly reason?: string
}

const Stored: z.ZodType<DeliveryRow> = z.object({
  id: z.string(),
  flow: z.string().exactOptional(),
  sink: z.string(),
  isForOwner: z.boolean(),
  line: z
    .object({
      text: z.string(),
      notice: z.object({
        kind: z.custom<NoticeKind>((value) => typeof value === 'string'),
        subject: z.string(),
        items: z.array(z.string()),
        reason: z.string(),
      }),
    })
    .exactOptional(),
  state: z.enum(['expected', 'sending', 'delivered', 'elsewhere', 'unsure']),
  at: z.number(),
  reason: z.string().exactOptional(),
})

export interface DeliveryRows {
  put(row: DeliveryRow): Promise<void>
  find(row: Pick<DeliveryRow, 'id' | 'sink'>): Promise<DeliveryRow | undefined>
  /** Newest first. */
  list(): Promise<readonly DeliveryRow[]>
  remove(row: Pick<DeliveryRow, 'id' | 'sink'>): Promise<void>
  /** Removes old receipts; what is still on its way stays. */
  prune(now: number): Promise<void>
}

export function createDeliveryRows(notes: Notes, log: Log): DeliveryRows {
  const list = async (): Promise<readonly DeliveryRow[]> => {
    const rows = (await notes.list(KIND)).flatMap(({ id, content }) => {
      const read = Stored.safeParse(parsed(content))
      if (!read.success) log.warn('A delivery cannot be read', { id })
      return read.success ? [read.data] : []
    })
    return rows.toSorted((a, b) => b.at - a.at)
  }
  const remove: DeliveryRows['remove'] = (row) => notes.remove(KIND, keyOf(row))
  return {
    put: (row) => notes.put(KIND, keyOf(row), JSON.stringify(row)),
    find: async (row) => (await list()).find((one) => keyOf(one) === keyOf(row)),
    list,
    remove,
    async prune(now) {
      const over = (await list()).filter(({ state }) => state !== 'expected' && state !== 'sending')
      for (const [place, row] of over.entries())
        if (place >= MOST || now - row.at > KEEP_MS) await remove(row)
    },
  }
}

export function keyOf({ id, sink }: Pick<DeliveryRow, 'id' | 'sink'>): string {
  return `${id} ${sink}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
