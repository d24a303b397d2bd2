/** The deps and state that all parts of the engine share during one run. Only `progress` changes. */
import type { callTool } from '../../kernel/call-tool.ts'
import type { Approvals, Log } from '../../kernel/ports.ts'
import type { Label } from '../../labels/label.ts'
import type { Template } from '../../kernel/tool-call.ts'
import type { TokenUsage } from '../../text/token-usage.ts'
import type { FlowNode } from '../language/ir.ts'
import type { OwnWords } from '../language/references.ts'
import type { FlowStore } from './store-view.ts'
import type { OwnedRun } from '../runs/flow-runtime.ts'
import type { BitBudget } from './bit-budget.ts'
import type { InputQueue } from './input-queue.ts'
import type { Journal } from './journal.ts'
import type { LiveRuns } from '../runs/live-runs.ts'
import type { RunEvents } from '../runs/run-events.ts'
import { type PlannedNode, type RunPlan, wordsOf } from '../runs/run-plan.ts'
import type { Redact } from './shown-value.ts'
import type { StepCache } from './step-cache.ts'
import type { Walk } from './walk.ts'
import type { EnterServer } from './server-places.ts'
import type { FlowSettings } from '../flow-settings.ts'
import type { FlowDeps } from '../flow-deps.ts'
import type { YieldOften } from './yield-often.ts'

export type Door = Parameters<typeof callTool>[0]

export interface EngineDeps {
  readonly door: Door
  /** For an owner who consented with the command itself (`--yes`). */
  readonly consented: Approvals
  readonly cache: StepCache
  readonly events: RunEvents
  readonly live: LiveRuns
  readonly yieldOften: YieldOften
  readonly enterServer: EnterServer
  readonly settings: Pick<FlowSettings, 'maxSteps' | 'maxCalls'>
  readonly input: InputQueue
  readonly projectServers?: FlowDeps['projectServers']
  readonly account?: FlowDeps['account']
  readonly readiness?: FlowDeps['readiness']
  /** The name of the home of this kernel (see `nameHome`). */
  readonly home: string
  readonly log: Log
  readonly redact: Redact
  readonly template: (name: string) => Promise<Template | undefined>
  readonly budgetWait?: FlowDeps['budgetWait']
  readonly now: () => number
  /** For waits: never goes back. */
  readonly waitNow: () => number
}

export interface RunContext {
  readonly deps: EngineDeps
  readonly run: OwnedRun
  readonly plan: RunPlan
  readonly journal: Journal
  readonly walk: Walk
  readonly door: Door
  readonly template: Template | undefined
  /** The owner's own text of the run. */
  readonly words: string
  readonly progress: Progress
}

export interface Progress {
  store: FlowStore
  /** Turns of nodes so far, in every round. */
  stepsDone: number
  /** Calls that were made or are under way. */
  calls: number
  /** The bits that untrusted data decided so far. */
  readonly budget: BitBudget
  readonly rounds: Map<string, number>
  /** Of the models that were asked, those of steps on record included. */
  readonly usage: TokenUsage[]
}

/** One turn of one node. */
export interface Turn {
  readonly node: FlowNode
  readonly planned: PlannedNode
  readonly round: number
  /** The label of the data that the node's guard compared; absent if it has none. */
  readonly guard?: Label
  /** The `forEach` list, by its own label: whoever filled the list decided how often the node runs. */
  readonly loop?: { readonly label: Label; readonly times: number }
}

/** The label of literals that the flow itself holds at this place. */
export function ownWords({ plan }: RunContext, place: string): OwnWords {
  const label: Label = { ...wordsOf(plan), integrity: plan.integrity }
  return { label, place, ...(plan.integrity === 'user' && { from: { kind: 'user' } }) }
}
