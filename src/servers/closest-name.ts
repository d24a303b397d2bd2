/** "Did you mean": the known name nearest to a mistyped one, if it is near at all. */

const MAX_TYPED = 64

export function closestName(typed: string, known: readonly string[]): string | undefined {
  if (typed.length > MAX_TYPED) return undefined
  const reach = Math.max(2, Math.floor(typed.length / 3))
  const ranked = known
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= reach && distance < name.length)
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.name
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
