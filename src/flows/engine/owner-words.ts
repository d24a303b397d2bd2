/**
 * The owner's own text of a run: the literals of a flow that they wrote, and the inputs that they typed. A link in it is
 * theirs, wherever else it occurs. Holds nothing that was piped in, and nothing of a flow that somebody else wrote.
 */
import type { Json } from '../../text/json.ts'
import { writtenTexts } from '../../text/written-texts.ts'
import { deliver, OWNER_SINK } from '../../labels/sink.ts'
import { inputsOf, type RunPlan } from '../runs/run-plan.ts'

const MAX_WORDS = 100_000

export function ownerWords(plan: RunPlan): string {
  const literals = plan.integrity === 'user' ? plan.ir.nodes.map(({ params }) => params) : []
  const typed = Object.values(inputsOf(plan))
    .filter(({ label }) => label.integrity === 'user')
    .map((input) => deliver(input, OWNER_SINK))
    .map((delivery) => (delivery.kind === 'shown' ? delivery.value : null))
  return writtenTexts([...literals, ...typed] as Json, MAX_WORDS)
}
