/** How confidential a value is, how far it can be trusted, and where it came from. Joins only ever make it stricter. */

const LEVELS = ['public', 'internal', 'sensitive', 'regulated', 'secret'] as const
export type Level = (typeof LEVELS)[number]

/** Trusted are the first three; the join is the least trusted. */
const INTEGRITIES = ['user', 'system', 'endorsed', 'external'] as const
export type Integrity = (typeof INTEGRITIES)[number]

export interface Label {
  readonly integrity: Integrity
  readonly level: Level
  readonly origins: ReadonlySet<string>
}

export function joinLabels(a: Label, b: Label): Label {
  return {
    integrity: later(INTEGRITIES, a.integrity, b.integrity),
    level: later(LEVELS, a.level, b.level),
    origins: a.origins.union(b.origins),
  }
}

function later<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) < order.indexOf(b) ? b : a
}
