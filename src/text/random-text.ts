/**
 * Guesses whether characters look random, as those of keys do. There are two measures, since they are wrong in
 * different ways: in a single value any mixed run is suspect; in a text most mixed runs are names, and hiding those
 * would empty a record. Pure.
 */

/**
 * The minimum length of a mixed run. A setting that is wrongly taken for a key costs a visit to the vault, so 16
 * characters are enough, the shortest that keys have. A URL is refused altogether, and names of people are part of
 * URLs: with 16 instead of 20, three servers of 2,354 in the official registry could not be connected.
 */
const SHORTEST_KEY = { setting: 16, address: 20 }
export type RunUse = keyof typeof SHORTEST_KEY

/** Fewer distinct characters make a repeated pattern rather than a key: `aaaa1111aaaa1111`. */
const LEAST_DISTINCT = 8

/** Long enough for a key, with both letters and digits. */
export function isMixedRun(run: string, use: RunUse = 'setting'): boolean {
  return run.length >= SHORTEST_KEY[use] && /\d/.test(run) && /[A-Za-z]/.test(run)
}

/** One long run of mixed letters and digits; words joined by dashes are several runs. */
export function holdsRandomRun(value: string, use: RunUse = 'setting'): boolean {
  return value
    .split(/[^A-Za-z0-9+=]+/)
    .some((run) => isMixedRun(run, use) && new Set(run).size >= LEAST_DISTINCT)
}

/**
 * Random text changes between small letters, capitals and digits every second or third character; names, paths and
 * identifiers rarely do. A small letter after a capital only continues a word.
 */
export function changesLikeRandom(run: string): boolean {
  const changes: number[] = []
  for (let at = 1; at < run.length; at += 1) {
    if (!changesAt(run, at)) continue
    changes.push(at)
    const fifthLast = changes.at(-5)
    if (fifthLast !== undefined && at - fifthLast < 20) return true
  }
  return false
}

function changesAt(run: string, at: number): boolean {
  const before = kindOf(run.charCodeAt(at - 1))
  const kind = kindOf(run.charCodeAt(at))
  if (before === 'other' || kind === 'other' || before === kind) return false
  return !(before === 'capital' && kind === 'small')
}

function kindOf(code: number): 'digit' | 'small' | 'capital' | 'other' {
  if (code >= 48 && code <= 57) return 'digit'
  if (code >= 65 && code <= 90) return 'capital'
  return code >= 97 && code <= 122 ? 'small' : 'other'
}
