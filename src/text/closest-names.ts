/** "Did you mean": the known names nearest to a mistyped one, nearest first, and none that is not near. Pure. */
import { editDistance } from './edit-distance.ts'

const MAX_TYPED = 100
const MAX_NAMES = 3

export function closestNames(typed: string, known: readonly string[]): readonly string[] {
  if (typed.length > MAX_TYPED) return []
  const lower = typed.toLowerCase()
  const reach = Math.max(2, Math.floor(typed.length / 3))
  return [...new Set(known)]
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase(), reach) }))
    .filter(({ name, distance }) => distance <= reach && distance < name.length)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}
