/**
 * One delivery, from the end of its run to its receipt. `sending` is on disk before the message leaves: a process that
 * dies in between cannot know whether it arrived, so it is not sent again, and a notice says so.
 */
import type { Chats } from '../ports/delivery-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { Flows, FlowRun } from '../ports/flow-port.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { Labelled } from '../labels/labelled.ts'
import { OWNER_SINK, type Sink } from '../labels/sink.ts'
import { localTime, showHour } from '../text/local-time.ts'
import type { DeliveryRow, DeliveryRows } from './delivery-rows.ts'
import { ownText, synthesize } from './synthesize.ts'

export interface DeliverDeps {
  readonly rows: DeliveryRows
  readonly flows: Pick<Flows, 'follow' | 'results'>
  readonly notices: Noticing
  readonly chats: Chats
  readonly now: () => number
  readonly timezone: string
  /** How long a chat is tried before the owner is told elsewhere. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 60_000

/** The end of the run; undefined for a line, which has none. */
export type RunEnd = Pick<FlowRun, 'id' | 'state' | 'problem' | 'startedAt'> | undefined

export async function deliverRow(
  deps: DeliverDeps,
  row: DeliveryRow,
  end: RunEnd,
  signal: AbortSignal,
): Promise<void> {
  if (row.state === 'sending') {
    const reason = 'I was stopped while I sent it, so it may be there or not'
    return await putElsewhere(deps, row, end, { state: 'unsure', reason })
  }
  if (row.sink === OWNER_SINK.name) {
    raise(deps, row, end)
    return await settle(deps, row, { state: 'delivered' })
  }
  try {
    await send(deps, row, end, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const reason = error instanceof CordonError ? error.message : 'it could not be sent in time'
    await putElsewhere(deps, row, end, { state: 'elsewhere', reason })
  }
}

async function send(
  deps: DeliverDeps,
  row: DeliveryRow,
  end: RunEnd,
  signal: AbortSignal,
): Promise<void> {
  const { chats, rows, now, patienceMs = PATIENCE_MS } = deps
  const patient = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const chat = await chats.open(row.sink, patient)
  const text = await textOf(deps, row, end, sinkOf(chats, row.sink))
  await rows.put({ ...row, state: 'sending', at: now() })
  await chat.send(text, patient)
  await settle(deps, row, { state: 'delivered' })
}

/** A sink that nobody knows any more is cleared for nothing. */
function sinkOf(chats: Chats, name: string): Sink {
  return chats.sinks().find((one) => one.name === name) ?? { name, clearance: 'public' }
}

/** The result of a run as it may be told there, why it has none, or the line. */
export async function textOf(
  { flows }: Pick<DeliverDeps, 'flows'>,
  { line, flow = 'The flow' }: DeliveryRow,
  end: RunEnd,
  sink: Sink,
): Promise<Labelled> {
  if (line) return ownText(line.text)
  if (!end || end.state !== 'completed') return ownText(`${flow} ${endWords(end)}.`)
  const last = Object.values((await flows.results(end.id)) ?? {}).at(-1)
  return synthesize(last, flow, sink)
}

interface Missed {
  readonly state: 'elsewhere' | 'unsure'
  readonly reason: string
}

/** The next channel: a notice, which the terminal and the page show. */
async function putElsewhere(
  deps: DeliverDeps,
  row: DeliveryRow,
  end: RunEnd,
  missed: Missed,
): Promise<void> {
  raise(deps, row, end, `; not sent to ${nameOf(row.sink)}: ${missed.reason}`)
  await settle(deps, row, missed)
}

function raise({ notices, timezone }: DeliverDeps, row: DeliveryRow, end: RunEnd, more = ''): void {
  const { line, flow = '', id, at } = row
  if (line) {
    const { kind, subject, items, reason } = line.notice
    return notices.raise(kind, subject, items, `${reason}${more}`)
  }
  const { hour, minute } = localTime(end ? Date.parse(end.startedAt) : at, timezone)
  const how = end?.state === 'completed' ? 'ran' : endWords(end)
  // The notice is about the latest run; earlier ones are in the list of runs.
  notices.resolve('result', flow)
  notices.raise('result', flow, [id], `${how} (${showHour(hour, minute)})${more}`)
}

function endWords(end: RunEnd): string {
  if (end?.state === 'cancelled') return 'was stopped'
  const { message } = end?.problem ?? {}
  return message === undefined ? 'did not work' : `did not work: ${message}`
}

async function settle(
  { rows, now }: DeliverDeps,
  { reason: _before, ...row }: DeliveryRow,
  change: Pick<DeliveryRow, 'state' | 'reason'>,
): Promise<void> {
  await rows.put({ ...row, ...change, at: now() })
}

/** For people. */
export function nameOf(sink: string): string {
  return sink.startsWith('sink:telegram:') ? 'Telegram' : 'this machine'
}
