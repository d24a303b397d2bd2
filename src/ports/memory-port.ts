/**
 * The port of memory: facts that the owner asked to keep, results of tools as handles, and turns of the chat. Opened for
 * one principal. A kept value has the label it was made with; a text with the shape of a credential is never kept.
 */
import type { Labelled } from '../labels/labelled.ts'
import type { Meant, Message, Reply } from '../kernel/receive.ts'
import type { ToolId } from '../kernel/tool-id.ts'

/** The message in which the owner asked to keep a fact, and the tool that gave the text, if one did. */
export interface FactSource {
  /** `terminal`, `page`, `telegram`. */
  readonly channel: string
  readonly message: string
  readonly tool?: ToolId
}

export interface NewFact {
  readonly text: Labelled
  readonly source: FactSource
}

/** One sentence. Times are milliseconds. */
export interface Fact extends NewFact {
  /** Stays the same as long as the fact is kept. */
  readonly number: number
  /** The words before `is`: a later fact about the same subject replaces this fact. */
  readonly subject?: string
  readonly keptAt: number
  readonly usedAt?: number
}

export interface Remembered {
  readonly fact: Fact
  /** The fact about the same subject that is gone now. */
  readonly replaced?: Fact
}

export interface NewTurn {
  readonly channel: string
  /** As `conversationOf` names it. */
  readonly conversation: string
  /** The owner's words, with pasted blocks as their handles. */
  readonly said: string
  readonly answer: Labelled
}

export interface Turn extends Omit<NewTurn, 'conversation'> {
  readonly number: number
  readonly at: number
}

/** A result of a tool without its content: safe for a planner. */
export interface KeptResult {
  /** `result7`. */
  readonly name: string
  readonly type: 'text' | 'number' | 'list' | 'object'
  /** The items of a list. */
  readonly count?: number
  readonly from: ToolId
  readonly at: number
}

/** How much there was, or is, of each kind. */
export interface ForgottenCounts {
  readonly facts: number
  readonly results: number
  readonly turns: number
}

export interface Memory {
  /** On disk when it returns. Throws where the text is no sentence, holds a credential, or memory is full. */
  remember(fact: NewFact): Promise<Remembered>
  /** By number. */
  facts(): Promise<readonly Fact[]>
  /** Facts that share words with these, the best first; notes that they were used. */
  relevantFacts(words: string, limit: number): Promise<readonly Fact[]>
  edit(number: number, fact: NewFact): Promise<Remembered>
  /** Forgets all of these, or throws if there is no such fact or turn. */
  forget(numbers: {
    readonly facts?: readonly number[]
    readonly turns?: readonly number[]
  }): Promise<ForgottenCounts>
  /** Forgets everything that came from a server, a day or a channel; `dryRun` only counts. */
  forgetFrom(from: string, dryRun: boolean): Promise<ForgottenCounts>
  addTurn(turn: NewTurn): Promise<void>
  /** The last `limit` turns, oldest first; with a conversation, only those of it. */
  turns(limit: number, conversation?: string): Promise<readonly Turn[]>
  /** Turns that hold all of these words, newest first. */
  searchTurns(words: string, limit: number): Promise<readonly Turn[]>
  /**
   * The name of the handle; undefined if the value is too large or holds a credential, and is not kept. Without a
   * conversation it belongs to none: a call on the command line.
   */
  addResult(tool: ToolId, value: Labelled, conversation?: string): Promise<string | undefined>
  /** The last 10, oldest first; with a conversation, those of none and then those of it, and never those of another. */
  results(conversation?: string): Promise<readonly KeptResult[]>
  value(name: string): Promise<Labelled | undefined>
  /** Services, pending work, channels and rules, for every prompt. Holds no word that a server wrote. */
  state(): Promise<string>
}

/** Answers the message, and adds the turn to the history if there was an answer or an error. */
export type RecordTurn = <T extends Reply | Meant>(
  by: 'setup' | 'chat',
  message: Message,
  answer: () => Promise<T | undefined>,
) => Promise<T | undefined>
