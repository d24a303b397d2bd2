/** A value as it is shown in the story of a run: one line at most, with its labels, and nothing that the vault has lent. */
import type { FlowValue } from '../../kernel/flow-port.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { showValue } from '../../text/show-value.ts'
import { deliver, OWNER_SINK } from '../../labels/sink.ts'

const MAX_SHOWN = 120
/** Cut before it is redacted, but not so short that a secret is cut in two unseen. */
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
