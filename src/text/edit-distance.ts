/**
 * How many typing mistakes lie between two names: a letter too many, too few, wrong, or two neighbours swapped, each
 * counted as one (optimal string alignment). Plain Levenshtein counts a swap as two and so misses more names that were
 * mistyped twice (docs/decisions/0019). Pure.
 */

/** Longer names are cut: no typing mistake needs more. */
const MAX_LENGTH = 256

/** If the distance exceeds `reach`, the result is some number above `reach`, not the exact distance. */
export function editDistance(left: string, right: string, reach: number = Infinity): number {
  const a = left.slice(0, MAX_LENGTH)
  const b = right.slice(0, MAX_LENGTH)
  if (Math.abs(a.length - b.length) > reach) return Math.abs(a.length - b.length)
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 0; i < a.length; i += 1) {
    const next = nextRow(a, b, i, [before, row])
    before = row
    row = next
    // Stopping is safe with swaps too: a swap adds one to the row before, whose values are at least `reach`.
    if (Math.min(...row) > reach) break
  }
  return row.at(-1) ?? 0
}

type Row = readonly number[]

/** The distances of `a` up to its letter `i` from each beginning of `b`, from the two rows above. */
function nextRow(a: string, b: string, i: number, [before, row]: readonly [Row, Row]): Row {
  const next = [i + 1]
  for (let j = 0; j < b.length; j += 1) {
    const replaced = at(row, j) + (a[i] === b[j] ? 0 : 1)
    const swapped = isSwap(a, b, i, j) ? at(before, j - 1) + 1 : Infinity
    next.push(Math.min(replaced, swapped, at(row, j + 1) + 1, at(next, j) + 1))
  }
  return next
}

function isSwap(a: string, b: string, i: number, j: number): boolean {
  return i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
}

function at(row: Row, column: number): number {
  return row[column] ?? 0
}
