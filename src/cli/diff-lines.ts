/** What changed between two texts, line by line and whole: `- ` is gone, `+ ` is new, the rest is as it was. Pure. */

/** Above it (about 2000 lines that changed on both sides) the old text is shown first and then the new one. */
const MOST_CELLS = 4_000_000

export function diffLines(before: readonly string[], now: readonly string[]): readonly string[] {
  const start = commonStart(before, now)
  const [old, fresh] = [before.slice(start), now.slice(start)]
  const end = commonStart(old.toReversed(), fresh.toReversed())
  return [
    ...now.slice(0, start).map(kept),
    ...diffMiddle(old.slice(0, old.length - end), fresh.slice(0, fresh.length - end)),
    ...now.slice(now.length - end).map(kept),
  ]
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}

const kept = (line: string): string => `  ${line}`
const gone = (line: string): string => `- ${line}`
const added = (line: string): string => `+ ${line}`

function diffMiddle(old: readonly string[], fresh: readonly string[]): readonly string[] {
  if (old.length * fresh.length > MOST_CELLS) return [...old.map(gone), ...fresh.map(added)]
  const common = commonTable(old, fresh)
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push(kept(fresh[j] as string))
      i += 1
      j += 1
    } else if (common(i + 1, j) >= common(i, j + 1)) {
      lines.push(gone(old[i] as string))
      i += 1
    } else {
      lines.push(added(fresh[j] as string))
      j += 1
    }
  }
  return [...lines, ...old.slice(i).map(gone), ...fresh.slice(j).map(added)]
}

/** How many lines, from these places on, can be kept in order. */
function commonTable(
  old: readonly string[],
  fresh: readonly string[],
): (i: number, j: number) => number {
  const width = fresh.length + 1
  const counts = new Uint32Array((old.length + 1) * width)
  const common = (i: number, j: number): number => counts[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const isSame = old[i] === fresh[j]
      counts[i * width + j] = isSame
        ? common(i + 1, j + 1) + 1
        : Math.max(common(i + 1, j), common(i, j + 1))
    }
  }
  return common
}
