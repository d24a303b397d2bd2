/** The parts that turns are made with. */
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import type { Flows } from '../ports/flow-port.ts'
import type { Memory } from '../ports/memory-port.ts'
import type { Planner } from './plan-port.ts'
import type { Log } from '../kernel/ports.ts'
import type { Message } from '../kernel/receive.ts'
import type { Schedules } from '../ports/schedule-port.ts'
import type { Labelled } from '../labels/labelled.ts'
import type { Sink } from '../labels/sink.ts'
import type { Composing } from './compose-answer.ts'
import type { Watches } from './open-watches.ts'
import type { TaughtSentences } from './taught-sentences.ts'

export interface TurnDeps {
  readonly planner: Planner
  readonly flows: Pick<
    Flows,
    'check' | 'start' | 'follow' | 'results' | 'cancel' | 'answer' | 'save' | 'saved' | 'nodes'
  >
  readonly queue: Pick<ApprovalQueue, 'follow' | 'show' | 'answer'>
  readonly memory: Pick<Memory, 'results' | 'value' | 'addResult' | 'addTurn' | 'turns'>
  readonly taught: TaughtSentences
  readonly schedules: Schedules
  readonly watches: Pick<Watches, 'add' | 'list' | 'remove'>
  /** The channel of the message: its clearance limits what is shown there. */
  sinkFor(message: Message): Sink
  /** The answer in a model's words; undefined if no model may or can answer. */
  readonly compose: (composing: Composing, signal: AbortSignal) => Promise<Labelled | undefined>
  readonly aboutServer: (server: string) => Promise<AboutServer>
  readonly log: Log
  readonly now: () => number
  readonly timezone: string
}

export interface AboutServer {
  /** For people. */
  readonly name: string
  /** The owner's home folder, and the folders that the server was given. */
  readonly place: { readonly homeFolder: string; readonly folders: readonly string[] }
}
