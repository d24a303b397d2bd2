/**
 * A value for display in the trace of a run: one line at most, with its labels, and without secrets that are on lease.
 */
import type { FlowValue } from '../../ports/flow-port.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { showValue } from '../../text/show-value.ts'
import { deliver, OWNER_SINK } from '../../labels/sink.ts'

const MAX_SHOWN = 120
/** The text is cut to this before it is redacted. A secret cut in two here lies far beyond the part that is shown. */
const MAX_LOOKED_AT = 4000

export type Redact = (text: string) => string

export function shownValue(name: string, from: string, value: Labelled, redact: Redact): FlowValue {
  const { integrity, level, origins } = value.label
  return { name, from, integrity, level, origins: [...origins].sort(), shown: line(value, redact) }
}

export function shownValues(
  values: Readonly<Record<string, Labelled>>,
  from: string,
  redact: Redact,
): readonly FlowValue[] {
  return Object.entries(values).map(([name, value]) => shownValue(name, from, value, redact))
}

function line(value: Labelled, redact: Redact): string {
  const delivery = deliver(value, OWNER_SINK)
  if (delivery.kind === 'withheld') return '(withheld)'
  const text = typeof delivery.value === 'string' ? delivery.value : showValue(delivery.value)
  return seenLine(redact(seenLine(text, MAX_LOOKED_AT)), MAX_SHOWN)
}
