/** Issues unique names of at most 64 letters, digits, hyphens and underscores. */

const LONGEST = 64

export interface UniqueNames {
  has(name: string): boolean
  /** Reserves exactly this name; the caller has checked that it is free. */
  add(name: string): void
  /** Returns this name, or the name with a number appended if it is taken. */
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
