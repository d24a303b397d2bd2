/** A part of a kept result, found by its handle in the session of the client that asks. */
import type { Labelled } from '../labels/labelled.ts'
import { deliver, type Sink } from '../labels/sink.ts'
import type { Json } from '../text/json.ts'
import type { ClientSession } from './client-session.ts'

const MOST_STEPS = 64

/** A sentence where there is no such value. */
export function resultPart(
  session: ClientSession,
  id: Json | undefined,
  path: Json | undefined,
): Labelled | string {
  const kept = typeof id === 'string' ? session.results.find(id) : undefined
  if (!kept) return `There is no result ${shownId(id)}: it is over, or of another session`
  if (path === undefined || path === '') return kept
  const steps = typeof path === 'string' ? path.split('.').slice(0, MOST_STEPS) : []
  const part = steps.length > 0 ? kept.at(...steps) : undefined
  return part ?? `There is nothing at ${JSON.stringify(path).slice(0, 200)} in ${shownId(id)}`
}

function shownId(id: Json | undefined): string {
  return JSON.stringify(id ?? null).slice(0, 50)
}

/** Empty for a value that is above the client's clearance. */
export function spellPart(value: Labelled, sink: Sink): string {
  const delivery = deliver(value, sink)
  if (delivery.kind === 'withheld') return ''
  return typeof delivery.value === 'string' ? delivery.value : JSON.stringify(delivery.value)
}
