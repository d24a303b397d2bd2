/** The dependencies of memory: rows of one principal, and the few things around them. */
import type { Audit, Log, SecretFinder } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'

interface FactContent {
  readonly key: string
  readonly text: string
  readonly labels: string
  readonly source: string
  readonly keptAt: string
}

export interface FactRow extends FactContent {
  readonly number: number
  readonly usedAt: string | null
}

interface NewTurnRow {
  readonly channel: string
  readonly conversation: string
  readonly said: string
  readonly answered: string
  readonly label: string
  readonly at: string
}

export interface TurnRow extends Omit<NewTurnRow, 'conversation'> {
  readonly number: number
}

interface NewResultRow {
  readonly conversation: string
  readonly server: string
  readonly tool: string
  readonly type: string
  readonly count: number | null
  readonly content: string
  readonly at: string
}

export interface ResultRow extends Omit<NewResultRow, 'conversation'> {
  readonly number: number
}

export type ResultShape = Omit<ResultRow, 'content'>

export interface MemoryDeps {
  readonly owner: PrincipalId
  readonly rows: {
    facts(): Promise<readonly FactRow[]>
    putFact(fact: FactContent): Promise<number>
    editFact(number: number, fact: FactContent): Promise<boolean>
    useFacts(numbers: readonly number[], at: string): Promise<void>
    removeFacts(numbers: readonly number[]): Promise<void>
    addTurn(turn: NewTurnRow): Promise<number>
    turns(limit: number, conversation?: string): Promise<readonly TurnRow[]>
    removeTurns(numbers: readonly number[]): Promise<void>
    pruneTurns(upTo: number): Promise<void>
    addResult(result: NewResultRow): Promise<number>
    results(): Promise<readonly ResultRow[]>
    resultShapes(limit: number, conversation?: string): Promise<readonly ResultShape[]>
    result(number: number): Promise<ResultRow | undefined>
    forgetResults(numbers: readonly number[]): Promise<void>
    pruneResults(upTo: number): Promise<void>
    pruneConversation(conversation: string, most: number): Promise<void>
  }
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly log: Log
  readonly redactor: SecretFinder & { redact(text: string): string }
  readonly now: () => number
}
