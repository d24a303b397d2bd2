/** The rules of a schedule: what happens at a time that comes while a run goes on, and after an absence. Pure. */

/**
 * `skip` leaves the time out, `one` runs once more afterwards however many times came, `queue` runs once for each of them,
 * `together` does not wait.
 */
export type Overlap = 'skip' | 'one' | 'queue' | 'together'

/** How many of the times that passed while no kernel ran are made up for: none, the last, or each. */
export type CatchUp = 'none' | 'once' | 'all'

export const OVERLAPS: readonly Overlap[] = ['skip', 'one', 'queue', 'together']
export const CATCH_UPS: readonly CatchUp[] = ['none', 'once', 'all']

/** The rules of a schedule that names none. */
export const USUAL_RULES = { overlap: 'skip', catchUp: 'once' } as const

const OVERLAP_WORDS: Readonly<Record<Overlap, string>> = {
  skip: 'left out while it still runs',
  one: 'once more after a run that took longer',
  queue: 'one run after the other',
  together: 'also while it still runs',
}

const CATCH_UP_WORDS: Readonly<Record<CatchUp, string>> = {
  none: 'missed times are not made up for',
  once: 'missed times are made up for once',
  all: 'each missed time is made up for',
}

export function sayOverlap(overlap: Overlap): string {
  return OVERLAP_WORDS[overlap]
}

export function sayCatchUp(catchUp: CatchUp): string {
  return CATCH_UP_WORDS[catchUp]
}

/** `left out while it still runs; missed times are made up for once` */
export function sayRules({
  overlap,
  catchUp,
}: {
  readonly overlap: Overlap
  readonly catchUp: CatchUp
}): string {
  return `${sayOverlap(overlap)}; ${sayCatchUp(catchUp)}`
}
