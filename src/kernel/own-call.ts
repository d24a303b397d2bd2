/** Calls that the owner typed, or that the host makes with fixed arguments. Each is a task of one step. */
import { randomUUID } from 'node:crypto'
import type { Json } from '../text/json.ts'
import { OWN_WORDS } from '../labels/label.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import { Labelled } from '../labels/labelled.ts'
import { writtenTexts } from '../text/written-texts.ts'
import { mapRecord } from '../text/map-record.ts'
import type { Principal } from './principal.ts'
import { deliver, OWNER_SINK } from '../labels/sink.ts'
import type { CallRequest, CallResult } from './tool-call.ts'
import type { ToolId } from './tool-id.ts'

const TYPED: LabelTree = { label: OWN_WORDS, from: { kind: 'user' } }

const MAX_WORDS = 100_000

const ONE_STEP = {
  step: '1',
  plan: 'user',
  control: { integrity: 'user', bits: 0 },
  callsBefore: 0,
} as const

export function ownCall(
  principal: Principal,
  tool: ToolId,
  args: Readonly<Record<string, Json>>,
  callId: string = randomUUID(),
): CallRequest {
  return {
    callId,
    principal,
    tool,
    args: mapRecord(args, (arg) => new Labelled(arg, TYPED)),
    task: { id: callId, ...ONE_STEP, words: writtenTexts(args, MAX_WORDS) },
  }
}

/** The result, as far as the owner may see it. */
export type OwnResult =
  | { readonly kind: 'ok'; readonly value: Json; readonly beside?: Json }
  | Exclude<CallResult, { readonly kind: 'ok' }>

export function openForOwner(result: CallResult): OwnResult {
  if (result.kind !== 'ok') return result
  const delivery = deliver(result.value, OWNER_SINK)
  if (delivery.kind !== 'shown') return { kind: 'refused', reason: delivery.reason }
  const beside = result.beside && deliver(result.beside, OWNER_SINK)
  const more = beside?.kind === 'shown' && { beside: beside.value }
  return { kind: 'ok', value: delivery.value, ...more }
}
