/**
 * A flow as it was written: statements of steps, still without meaning. Which node a name stands for, and whether a
 * flag is data or a parameter, is decided later, by whoever knows the nodes. Values are text; references in them
 * (`${step.key}`) stay as they are.
 */

export interface FlowText {
  /** What the offsets count in, and what an error shows. */
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
  /** Only with this action does the flow go on to the next step of the statement. */
  readonly exit?: Exit
  readonly at: number
}

export interface Flag {
  readonly key: string
  /** Absent: the flag stood alone. */
  readonly value?: string
  readonly at: number
  /** Where the value starts, or the flag where it has none. */
  readonly valueAt: number
}

export interface Exit {
  readonly action: string
  /** How often it may be taken. */
  readonly max?: number
}
