/**
 * The syntax tree of a written flow: statements of steps, not yet resolved. Names are mapped to nodes, and flags to
 * inputs or params, later (`to-ir.ts`). Values are text; references in them (`${step.key}`) stay unresolved.
 */
import type { Json } from '../../text/json.ts'
import type { Comparison } from '../operators/compare.ts'

export interface FlowText {
  /** The text that offsets refer to and that an error quotes. */
  readonly shown: string
  readonly statements: readonly Statement[]
  readonly inputs: readonly InputLine[]
}

/** An input that the flow declares. */
export interface InputLine {
  readonly name: string
  /** A type as in `read-value.ts`; `any` where none is written. */
  readonly type: string
  readonly default?: Json
  readonly description?: string
  readonly isOptional?: true
  /** Takes the text of standard input. */
  readonly isPiped?: true
  readonly at: number
}

/** Steps joined by `>>`; at least one. */
export type Statement = readonly Step[]

export interface Step extends Clauses {
  /** `[ns/]name`; three words (`mcp github search-code`) are joined by hyphens. */
  readonly name: string
  readonly version?: string
  /** From `as NAME`. */
  readonly id?: string
  readonly flags: readonly Flag[]
  /** The edge to the next step of the statement is taken only with this action. */
  readonly exit?: Exit
  readonly at: number
}

export interface Clauses {
  readonly each?: EachClause
  readonly when?: WhenClause
  readonly retry?: RetryClause
}

/** The step runs once for each item of a list. */
export interface EachClause {
  readonly as: string
  /** A list, or a reference to one. */
  readonly items: Json
  readonly max?: number
  /** How many items are worked on at once. */
  readonly parallel?: number
  /** An item that fails does not end the step. */
  readonly goesOn?: true
}

/** The step runs only if this holds. */
export interface WhenClause {
  readonly left: string
  readonly op?: Comparison
  readonly right?: Json
}

export interface RetryClause {
  readonly times: number
  /** Seconds before a retry. */
  readonly wait?: number
}

export interface Flag {
  readonly key: string
  /** Absent if the flag has no value. */
  readonly value?: string
  readonly at: number
  /** The start of the value, or of the flag if it has no value. */
  readonly valueAt: number
}

export interface Exit {
  readonly action: string
  /** How often this edge may be taken. */
  readonly max?: number
}
