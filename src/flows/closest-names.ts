/** "Did you mean": the known names nearest to a mistyped one, nearest first. Pure. */
const MAX_TYPED = 100
const MAX_NAMES = 3

export function closestNames(typed: string, known: readonly string[]): readonly string[] {
  if (typed.length > MAX_TYPED) return []
  const lower = typed.toLowerCase()
  const reach = Math.max(2, Math.floor(typed.length / 3))
  return [...new Set(known)]
    .filter((name) => Math.abs(name.length - typed.length) <= reach)
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase(), reach) }))
    .filter(({ name, distance }) => distance <= reach && distance < name.length)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}

/** Levenshtein's distance, one row at a time; given up once it can only be out of reach. */
function editDistance(a: string, b: string, reach: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1]
    let least = i + 1
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      const distance = Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1)
      next.push(distance)
      if (distance < least) least = distance
    }
    if (least > reach) return least
    row = next
  }
  return row.at(-1) ?? 0
}
