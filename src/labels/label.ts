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
  /** The number of values of an `enum` or among members. Absent: unknown, which counts as too many for any budget. */
  readonly size?: number
}

/** More bits than any budget has. Finite, because JSON has no infinity. */
export const FREE_BITS = 64

/** For a value that was made of all of another one: a text made of numbers is a free text. */
export function withoutBound({ bound: _said, ...label }: Label): Label {
  return label
}

/** The most that an untrusted value with this bound can say, in bits. */
export function bitsOf(bound: Bound | undefined): number {
  if (bound?.kind === 'bool') return 1
  return bound?.size === undefined ? FREE_BITS : Math.min(FREE_BITS, Math.log2(bound.size))
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

/** Whether the value is an untrusted choice among values that others did not write. */
export function isUntrustedChoice({ integrity, bound }: Label): boolean {
  return !isTrusted({ integrity }) && bound !== undefined && isChoice(bound)
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
 * one item of a list, which a server or the owner wrote. `among` is the number of its items, if it is known.
 */
export function chosenLabel(label: Label, choice: Label, among?: number): Label {
  const { bound: _said, ...raised } = joinLabels(label, choice)
  if (isTrusted(choice)) return joinLabels(label, choice)
  const bound = isTrusted(label) ? boundOfChosen(label, among) : label.bound
  return { ...raised, ...(bound && { bound }) }
}

/** Of a trusted value: one of the owner's, or a member of the one server that minted it. */
function boundOfChosen(label: Label, among: number | undefined): Bound | undefined {
  const { integrity, origins } = label
  if (integrity === 'user') return withSize({ kind: 'enum' }, among)
  const origin = soleHolder(origins)
  if (integrity !== 'system' || origin === undefined) return undefined
  return { kind: 'member', of: origin }
}

/**
 * The label of a value that exists only because a choice was made. The choice picked no value but let one come about,
 * and its bits are counted where it is made: a bound stays, and a trusted value is one out of one.
 */
export function controlledLabel(label: Label, choice: Label): Label {
  const chosen = chosenLabel(label, choice, 1)
  const isMember = isTrusted(label) && chosen.bound?.kind === 'member'
  return isMember ? { ...chosen, bound: { ...chosen.bound, kind: 'member', size: 1 } } : chosen
}

/**
 * Whether the author of a list or object is also the only author of this member. Then their order says nothing that the
 * member does not say itself: a server that lists its own ids picks the first one anyway.
 */
export function isSameAuthor(container: Label, member: Label): boolean {
  if (container === member || isTrusted(container)) return true
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
  return joinUntrusted(a.bound, b.bound)
}

function joinUntrusted(a: Bound, b: Bound): Bound {
  if (isChoice(a) && isChoice(b)) return joinChoices(a, b)
  if (a.kind !== b.kind) {
    const { size: _of, ...larger } = BOUNDS.indexOf(a.kind) < BOUNDS.indexOf(b.kind) ? b : a
    return larger
  }
  if (a.of !== b.of) return { kind: a.kind }
  // A join of members is a member of the directory only if both are.
  const { size: _values, ...both } = a.isDirectory ? b : a
  return withSize(both, largest(a.size, b.size))
}

function withSize(bound: Bound, size: number | undefined): Bound {
  return size === undefined ? bound : { ...bound, size }
}

function isChoice({ kind }: Bound): boolean {
  return kind === 'bool' || kind === 'enum'
}

/** The larger of two choices; a boolean has two values. */
function joinChoices(a: Bound, b: Bound): Bound {
  if (a.kind === 'bool' && b.kind === 'bool') return a
  return withSize({ kind: 'enum' }, largest(sizeOf(a), sizeOf(b)))
}

function largest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b)
}

function sizeOf({ kind, size }: Bound): number | undefined {
  return kind === 'bool' ? 2 : size
}
