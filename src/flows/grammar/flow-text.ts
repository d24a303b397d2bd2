/**
 * The syntax tree of a written flow: statements of steps, not yet resolved. Names are mapped to nodes, and flags to
 * inputs or params, later (`to-ir.ts`). Values are text; references in them (`${step.key}`) stay unresolved.
 */

export interface FlowText {
  /** The text that offsets refer to and that an error quotes. */
  readonly shown: string
  readonly statements: readonly Statement[]
}

/** Steps joined by `>>`; at least one. */
export type Statement = readonly Step[]

export interface Step {
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
