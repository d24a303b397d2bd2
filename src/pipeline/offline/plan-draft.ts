/** A plan with an open question, as JSON: the words, what was chosen and given so far, and what is asked. Pure. */
import { z } from 'zod'
import type { PlannedValue } from '../plan-port.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { Json } from '../../text/json.ts'

export interface PlanDraft {
  readonly words: string
  /** By clause: the tool that the owner chose. */
  readonly picks: readonly (ToolId | null)[]
  /** By clause: the values that the owner gave, by argument. */
  readonly given: readonly Readonly<Record<string, PlannedValue>>[]
  /** The owner said yes to a request that was put as a question. */
  readonly isMeant: boolean
  readonly open: OpenQuestion
}

export type OpenQuestion =
  | { readonly kind: 'choose'; readonly clause: number; readonly options: readonly ToolId[] }
  | { readonly kind: 'value'; readonly clause: number; readonly arg: string }
  | { readonly kind: 'confirm' }

const tool = z.object({
  server: z.custom<ServerId>((id) => typeof id === 'string'),
  name: z.string(),
})
const value = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('literal'), value: z.json() }),
  z.object({ kind: z.literal('handle'), name: z.string() }),
  z.object({ kind: z.literal('step'), step: z.number() }),
])
const clause = z.number().int().min(0)
const draft = z.object({
  words: z.string(),
  picks: z.array(tool.nullable()),
  given: z.array(z.record(z.string(), value)),
  isMeant: z.boolean(),
  open: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('choose'), clause, options: z.array(tool) }),
    z.object({ kind: z.literal('value'), clause, arg: z.string() }),
    z.object({ kind: z.literal('confirm') }),
  ]),
})

/** Undefined for JSON that is no draft of this planner. */
export function parsePlanDraft(input: unknown): PlanDraft | undefined {
  return draft.safeParse(input).data
}

export function showPlanDraft(plan: PlanDraft): Json {
  return plan as unknown as Json
}
