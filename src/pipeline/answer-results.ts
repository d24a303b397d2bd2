/** The answer out of the results of a request: in a model's words if one may see them, and otherwise the last result. */
import { MEMORY } from '../kernel/built-in-tools.ts'
import type { Message } from '../kernel/receive.ts'
import { Labelled } from '../labels/labelled.ts'
import { deliver, OWNER_SINK } from '../labels/sink.ts'
import type { JsonObject } from '../text/json.ts'
import type { StepResult } from './progress.ts'
import { synthesize } from './synthesize.ts'
import type { TurnDeps } from './turn-deps.ts'
import type { TurnRecord } from './turn-record.ts'

interface Answering {
  readonly message: Message
  readonly record: TurnRecord
}

export async function answerResults(
  deps: TurnDeps,
  { message, record }: Answering,
  results: readonly StepResult[],
  signal: AbortSignal,
): Promise<Labelled> {
  const lastTool = results.findLast(({ tool }) => tool)?.tool
  const named = await Promise.all(
    results.map(async ({ tool = lastTool, value }) => {
      const isFact = tool?.server === MEMORY
      const server = tool ? (await deps.aboutServer(tool.server)).name : 'The flow'
      return { isFact, server, value: isFact ? keptText(value) : value }
    }),
  )
  const sink = deps.sinkFor(message)
  const onPiece = (text: string): void => record.tell({ kind: 'piece', text })
  const said = message.text
  const { onUsage } = record
  const composed = await deps.compose({ said, results: named, sink, onPiece, onUsage }, signal)
  const last = named.at(-1)
  if (!composed && last?.isFact) return last.value
  return composed ?? synthesize(last?.value, last?.server ?? 'The flow', sink)
}

/** How many lines became facts, as a sentence with the label of the text that they are from. */
function keptText(value: Labelled): Labelled {
  const delivery = deliver(value, OWNER_SINK)
  if (delivery.kind === 'withheld') return value
  const { kept, left_out: left } = (delivery.value ?? {}) as JsonObject
  if (typeof kept !== 'number' || typeof left !== 'number') return value
  const rest = left > 0 ? ` ${left} of its lines are no facts, or hold a credential.` : ''
  const facts = kept === 1 ? '1 fact' : `${kept} facts`
  return new Labelled(`${facts} kept; \`/memory\` shows them.${rest}`, { label: value.label })
}
