/** What all parts of the engine look at while they work on one run; the part that changes is in `progress`. */
import type { callTool } from '../../kernel/call-tool.ts'
import type { Approvals, Log } from '../../kernel/ports.ts'
import { type Label, OWN_WORDS } from '../../kernel/label.ts'
import type { Template } from '../../kernel/tool-call.ts'
import type { FlowNode } from '../ir.ts'
import type { OwnWords } from '../references.ts'
import type { FlowStore } from '../store-view.ts'
import type { OwnedRun } from './flow-runtime.ts'
import type { InputDesk } from './input-desk.ts'
import type { Journal } from './journal.ts'
import type { RunEvents } from './run-events.ts'
import type { PlannedNode, RunPlan } from './run-plan.ts'
import type { Redact } from './shown-value.ts'
import type { StepCache } from './step-cache.ts'
import type { Walk } from './walk.ts'

export type Door = Parameters<typeof callTool>[0]

export interface EngineRooms {
  readonly door: Door
  /** For an owner who said yes together with the command. */
  readonly consented: Approvals
  readonly cache: StepCache
  readonly events: RunEvents
  readonly input: InputDesk
  readonly log: Log
  readonly redact: Redact
  readonly template: (name: string) => Promise<Template | undefined>
  readonly now: () => number
}

export interface RunContext {
  readonly rooms: EngineRooms
  readonly run: OwnedRun
  readonly plan: RunPlan
  readonly journal: Journal
  readonly walk: Walk
  readonly door: Door
  readonly template: Template | undefined
  readonly progress: Progress
}

export interface Progress {
  store: FlowStore
  stepsDone: number
  /** Calls that were made or are under way. */
  calls: number
  /** Untrusted choices so far. */
  bits: number
  readonly rounds: Map<string, number>
}

/** A node that has its turn. */
export interface Turn {
  readonly node: FlowNode
  readonly planned: PlannedNode
  readonly round: number
  /** Whether somebody else's words decided that it runs. */
  readonly isLed: boolean
}

/** Of what the flow itself says at this place. */
export function ownWords({ plan }: RunContext, place: string): OwnWords {
  const label: Label = { ...OWN_WORDS, integrity: plan.integrity }
  return { label, place, ...(plan.integrity === 'user' && { from: { kind: 'user' } }) }
}
