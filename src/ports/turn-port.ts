/** The port of a turn: one message of a person, and all that happens until it is answered. Channels follow its events. */
import type { ShownApproval } from '../kernel/approval-port.ts'
import type { Message } from '../kernel/receive.ts'
import type { FlowQuestion } from './flow-port.ts'
import type { TokenUsage } from '../text/token-usage.ts'
import type { ToolId } from '../kernel/tool-id.ts'

/** Texts may hold words of servers: a channel cleans them for the place where it shows them. */
export type TurnNews =
  /** The plan, before it acts: as lines under a heading, and as data for a page to draw under the same heading. */
  | { readonly kind: 'plan'; readonly text: string; readonly steps: readonly PlanStep[] }
  | {
      readonly kind: 'using'
      readonly step: string
      readonly tool: ToolId
      readonly args: readonly { readonly name: string; readonly shown: string }[]
    }
  | {
      readonly kind: 'used'
      readonly step: string
      readonly tool: ToolId
      /** The answer tells the reason of a failure. */
      readonly outcome: 'completed' | 'failed' | 'timed out' | 'refused'
    }
  /** A call, or the whole plan, waits for the owner's answer to this question. */
  | { readonly kind: 'approval'; readonly approval: ShownApproval }
  /** A question that the run waits with, of a server or about a call that may have happened: the next message answers it. */
  | {
      readonly kind: 'question'
      readonly text: string
      /** The same as data, for a page to draw as a form; `flows.answer` takes its answer. Absent: only a message does. */
      readonly form?: { readonly run: string; readonly question: FlowQuestion }
    }
  /** A further piece of the answer, while a model writes it. */
  | { readonly kind: 'piece'; readonly text: string }
  /** The whole answer, or a question that the next message answers. Always the last event. */
  | {
      readonly kind: 'answer'
      readonly text: string
      readonly isQuestion: boolean
      /** The request was not carried out. */
      readonly hasFailed?: boolean
      /** Of the models that the turn asked; absent if it asked none. */
      readonly usage?: TokenUsage
      /** The servers whose data is in the answer; absent: it is Cordon's own. */
      readonly from?: readonly string[]
      /** The plan of this turn is the one that `save this as NAME` saves. */
      readonly canBeSaved?: true
    }

export interface PlanStep {
  readonly tool: ToolId
  readonly args: readonly { readonly name: string; readonly shown: string }[]
  /** The reason why the owner is asked before this step; absent: it runs unasked. */
  readonly asks?: string
}

export type TurnEvent = TurnNews & { readonly number: number }

export interface TurnView {
  readonly turn: string
  readonly isOver: boolean
  /** Those after the asked number. */
  readonly events: readonly TurnEvent[]
}

/** Turns of all channels. A turn goes on when its channel is gone; its answer is kept with the history. */
export interface Turns {
  /** The turn that took the message; undefined if the message is nothing for it. */
  begin(message: Message): Promise<string | undefined>
  /** The events after this number; waits for the next one as long as `signal` allows. */
  follow(turn: string, after: number, signal: AbortSignal): Promise<TurnView>
  /** Stops the turn: no step begins afterwards. */
  cancel(turn: string): Promise<void>
}
