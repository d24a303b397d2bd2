/** The handles of kept results that a client's arguments name, wherever they stand. Pure. */
import type { Json } from '../text/json.ts'

/** As `KeptResults` makes them where several kernels share a session. */
const HANDLE = /^r\d{1,9}-[0-9a-f]{12}$/
const MOST_HANDLES = 32
const MOST_DEPTH = 64

export function resultsNamedIn(args: Json | undefined): ReadonlySet<string> {
  const found = new Set<string>()
  const walk = (value: Json, depth: number): void => {
    if (typeof value === 'string') {
      if (found.size < MOST_HANDLES && HANDLE.test(value)) found.add(value)
      return
    }
    if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return
    for (const one of Object.values(value as unknown as Readonly<Record<string, Json>>)) {
      walk(one, depth + 1)
    }
  }
  if (args !== undefined) walk(args, 0)
  return found
}
