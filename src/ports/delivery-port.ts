/**
 * The port of deliveries: the results of scheduled runs, and lines about watches, on their way to a person. Each goes to
 * the sink that the owner named and is checked against its clearance; if that sink cannot be reached, the owner is told
 * by a notice instead. Nothing is sent twice.
 */
import type { Labelled } from '../labels/labelled.ts'
import type { Sink } from '../labels/sink.ts'
import type { NoticeKind } from './notice-port.ts'

export interface ExpectedResult {
  /** The id of the run. */
  readonly run: string
  /** The name of the saved flow. */
  readonly flow: string
  readonly sinks: readonly string[]
  /** The owner's own machine may show the result, if its sink cannot be reached. */
  readonly isForOwner: boolean
}

/** A line in Cordon's own words. */
export interface ToldLine {
  /** An idempotency key: told once. With the id of an expected run, the line takes the place of its result. */
  readonly id: string
  readonly flow?: string
  readonly sink: string
  readonly text: string
  /** Raised on the owner's machine: if that is the sink, or if the sink cannot be reached. */
  readonly notice: {
    readonly kind: NoticeKind
    readonly subject: string
    readonly items: readonly string[]
    readonly reason: string
  }
}

/**
 * `expected`: the run has not ended, or the sink is not reached yet. `elsewhere`: the sink could not be reached, and a
 * notice was raised. `unsure`: the process ended while it was sent; it is not sent again, and a notice was raised.
 */
export type DeliveryState = 'expected' | 'sending' | 'delivered' | 'elsewhere' | 'unsure'

export interface Receipt {
  readonly sink: string
  readonly state: DeliveryState
  /** ISO time of the last change. */
  readonly at: string
  /** Why it is not delivered. */
  readonly reason?: string
}

export interface Deliveries {
  /** On disk when this returns. A run that is known already is not expected a second time. */
  expect(result: ExpectedResult): Promise<void>
  /** On disk when this returns. */
  tell(line: ToldLine): Promise<void>
  /** The receipts of the latest run of each flow. */
  receipts(): Promise<ReadonlyMap<string, readonly Receipt[]>>
  /** The result of a run that was delivered to the owner's own machine; undefined for every other run. */
  resultText(run: string): Promise<string | undefined>
}

/** The chats that Cordon can begin to talk in by itself. */
export interface Chats {
  /** Those of people who are paired now. */
  sinks(): readonly Sink[]
  /** Waits until the chat can be written to. Throws the reason if nobody is there, or once `signal` aborts. */
  open(sink: string, signal: AbortSignal): Promise<OpenChat>
}

export interface OpenChat {
  /** Checked against the clearance of the sink. Resolves once the service of the chat has taken the message. */
  send(text: Labelled, signal: AbortSignal): Promise<void>
}
