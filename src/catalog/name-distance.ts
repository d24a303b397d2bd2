/** How far apart two names are in typing mistakes: a letter too many, too few, wrong, or two swapped. Pure. */

/** Longer names are cut: nobody mistypes a paragraph. */
const MAX_LENGTH = 64

export function nameDistance(left: string, right: string): number {
  const a = Array.from(left.slice(0, MAX_LENGTH))
  const b = Array.from(right.slice(0, MAX_LENGTH))
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [i, letter] of a.entries()) {
    const next = [i + 1]
    for (const [j, other] of b.entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      const swapped = isSwap(a, b, i, j) ? (before[j - 1] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}

/** Two neighbours in the wrong order, and nothing else. */
export function isSwapOf(name: string, known: string): boolean {
  return (
    name.length === known.length &&
    sorted(name) === sorted(known) &&
    nameDistance(name, known) === 1
  )
}

/** One letter doubled, or one of a pair left out, and nothing else. */
export function isDoublingOf(name: string, known: string): boolean {
  return name !== known && nameDistance(name, known) === 1 && single(name) === single(known)
}

function isSwap(a: readonly string[], b: readonly string[], i: number, j: number): boolean {
  return i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
}

function sorted(name: string): string {
  return Array.from(name).sort().join('')
}

function single(name: string): string {
  return name.replace(/(.)\1+/gu, '$1')
}
