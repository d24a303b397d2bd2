/** The part of the API's contract that is about flows: reading, checking, running, keeping and scheduling them. */
import type { ASKING } from './approval-contract.ts'
import type {
  FlowCheck,
  FlowEvent,
  FlowNodeView,
  FlowRun,
  FlowSchedule,
  Flows,
  FlowSource,
  FlowTrace,
  RunState,
  SavedFlow,
  StartFlow,
} from './flow-port.ts'
import type { Json } from './json.ts'
import type { ShownSchedule } from './schedule-port.ts'

export const DRAWINGS = ['mermaid', 'dot', 'text'] as const
export const TRUSTS = ['pure', 'readonly'] as const

type Nothing = Readonly<Record<string, never>>
type Run = { readonly id: string }
type Named = { readonly name: string }

export interface FlowContract {
  /** `given` names the inputs that will be there; without it, none are counted as missing. */
  'flows.check': {
    input: { readonly source: FlowSource; readonly given?: readonly string[] }
    output: FlowCheck
  }
  /** On disk when it answers; it goes on when who started it leaves. */
  'flows.start': {
    input: Partial<Pick<StartFlow, 'id' | 'inputs' | 'stdin' | 'folder' | 'useCache' | 'trust'>> & {
      readonly source: FlowSource
      readonly approval?: (typeof ASKING)[number]
    }
    output: FlowRun
  }
  /** Returns when something happened after that number, or after 25 seconds. */
  'flows.follow': {
    input: Run & { readonly after: number }
    output: { readonly run: FlowRun; readonly events: readonly FlowEvent[] }
  }
  'flows.runs': {
    input: { readonly limit?: number; readonly state?: RunState }
    output: { readonly runs: readonly FlowRun[] }
  }
  'flows.show': { input: Run; output: FlowTrace }
  'flows.cancel': { input: Run; output: FlowRun }
  'flows.answer': {
    input: Run & { readonly question: string; readonly choice: string; readonly value?: Json }
    output: FlowRun
  }
  'flows.save': {
    input: Named & { readonly source: FlowSource; readonly replace: boolean }
    output: SavedFlow
  }
  'flows.list': { input: Nothing; output: { readonly flows: readonly SavedFlow[] } }
  'flows.read': { input: Named; output: Awaited<ReturnType<Flows['read']>> }
  'flows.remove': { input: Named; output: { readonly removed: boolean } }
  'flows.nodes': {
    input: { readonly filter?: string }
    output: { readonly nodes: readonly FlowNodeView[] }
  }
  'flows.node': { input: Named; output: Awaited<ReturnType<Flows['node']>> }
  /** What could follow a text that ends at the cursor. */
  'flows.complete': {
    input: { readonly text: string }
    output: { readonly candidates: readonly string[] }
  }
  'flows.draw': {
    input: { readonly source: FlowSource; readonly format: (typeof DRAWINGS)[number] }
    output: { readonly text: string }
  }
  'flows.schedule': {
    input: Pick<FlowSchedule, 'name' | 'cron' | 'sinks' | 'template'> &
      Partial<Pick<FlowSchedule, 'timezone' | 'inputs'>>
    output: ShownSchedule
  }
  'flows.unschedule': { input: Named; output: { readonly removed: boolean } }
  'flows.schedules': { input: Nothing; output: { readonly schedules: readonly ShownSchedule[] } }
}
