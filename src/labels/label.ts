/**
 * The label of a value: how confidential it is (level), how far it can be trusted (integrity), how much it can say
 * (bound), and where it came from (origins). Every part is ordered, and a join takes the stricter of each: it never
 * makes a value more trusted or less confidential.
 */
import { soleHolder } from './via-origin.ts'

export const LEVELS = ['public', 'internal', 'sensitive', 'regulated', 'secret'] as const
export type Level = (typeof LEVELS)[number]

/** The first three are trusted; a join takes the least trusted. */
export const INTEGRITIES = ['user', 'system', 'endorsed', 'external'] as const
export type Integrity = (typeof INTEGRITIES)[number]

/**
 * The most that an untrusted value can say, from one bit upwards. A bound limits what an attacker can say with the
 * value, and makes nothing trusted: an address out of a list of two is still chosen by the attacker.
 */
export const BOUNDS = ['bool', 'enum', 'member', 'number', 'date'] as const
export interface Bound {
  readonly kind: (typeof BOUNDS)[number]
  /** Of a `member`: the server from whose list the value is. */
  readonly of?: string
  /** Of a `member`: the list is the server's directory of people or channels. */
  readonly isDirectory?: true
}

export interface Label {
  readonly integrity: Integrity
  readonly level: Level
  /** Servers, `user`, `planner`: everyone who contributed to the value. */
  readonly origins: ReadonlySet<string>
  /** Only of an untrusted value; absent: the value may say anything. */
  readonly bound?: Bound
}

const NOWHERE: ReadonlySet<string> = new Set()

/** The label of values that the owner typed, or that the host wrote itself. */
export const OWN_WORDS: Label = { integrity: 'user', level: 'internal', origins: NOWHERE }

export function isTrusted({ integrity }: Pick<Label, 'integrity'>): boolean {
  return integrity !== 'external'
}

export function isAbove(level: Level, limit: Level): boolean {
  return LEVELS.indexOf(level) > LEVELS.indexOf(limit)
}

export function joinLabels(a: Label, b: Label): Label {
  if (a === b) return a
  const bound = joinBounds(a, b)
  return {
    integrity: later(INTEGRITIES, a.integrity, b.integrity),
    level: later(LEVELS, a.level, b.level),
    origins: joinOrigins(a.origins, b.origins),
    ...(bound && { bound }),
  }
}

/**
 * The label of a value that other data chose: no more trusted and no less confidential than that data. The choice does
 * not change what the value can say, so an untrusted value keeps its bound, and a trusted one gets a bound: it is still
 * one item of a list, which a server or the owner wrote.
 */
export function chosenLabel(label: Label, choice: Label, isDirectory = false): Label {
  const { bound: _said, ...raised } = joinLabels(label, choice)
  if (isTrusted(choice)) return joinLabels(label, choice)
  if (!isTrusted(label)) return { ...raised, ...(label.bound && { bound: label.bound }) }
  const origin = soleHolder(label.origins)
  if (label.integrity === 'user') return { ...raised, bound: { kind: 'enum' } }
  if (label.integrity !== 'system' || origin === undefined) return raised
  return { ...raised, bound: { kind: 'member', of: origin, ...(isDirectory && { isDirectory }) } }
}

/**
 * Whether the author of a list or object is also the only author of this member. Then their order says nothing that the
 * member does not say itself: a server that lists its own ids picks the first one anyway.
 */
export function isSameAuthor(container: Label, member: Label): boolean {
  if (isTrusted(container)) return true
  if (!container.origins.isSubsetOf(member.origins)) return false
  return (
    !isTrusted(member) ||
    (member.integrity === 'system' && container.origins.size === member.origins.size)
  )
}

export function later<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) < order.indexOf(b) ? b : a
}

function joinOrigins(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  if (a === b || b.isSubsetOf(a)) return a
  return a.isSubsetOf(b) ? b : a.union(b)
}

/** Of two untrusted values the larger bound; a trusted value adds nothing that an attacker could say. */
function joinBounds(a: Label, b: Label): Bound | undefined {
  if (isTrusted(a)) return isTrusted(b) ? undefined : b.bound
  if (isTrusted(b)) return a.bound
  if (!a.bound || !b.bound) return undefined
  if (a.bound.kind !== b.bound.kind) {
    return BOUNDS.indexOf(a.bound.kind) < BOUNDS.indexOf(b.bound.kind) ? b.bound : a.bound
  }
  if (a.bound.of !== b.bound.of) return { kind: a.bound.kind }
  // A join of members is a member of the directory only if both are.
  return a.bound.isDirectory ? b.bound : a.bound
}
