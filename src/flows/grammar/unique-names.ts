/** Gives out names of at most 64 letters, digits, hyphens and underscores, none of them twice. */

const LONGEST = 64

export interface UniqueNames {
  has(name: string): boolean
  /** This very name; call it only for a free one. */
  add(name: string): void
  /** This name, or the same with a number behind it. */
  claim(wish: string): string
}

export function createUniqueNames(): UniqueNames {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  const claim = (wish: string): string => {
    const base = wish.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, LONGEST)
    let count = counts.get(base) ?? 1
    let name = base
    for (; taken.has(name); name = numbered(base, count)) count += 1
    counts.set(base, count)
    taken.add(name)
    return name
  }
  return { has: (name) => taken.has(name), add: (name) => void taken.add(name), claim }
}

function numbered(base: string, count: number): string {
  const end = `-${count}`
  return base.slice(0, LONGEST - end.length) + end
}
