/** The difference between two texts, word by word, for a person to read. Pure. */

export interface DiffPiece {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** Above this the middle is shown whole, old and then new: both texts are a server's, and the table grows with their product. */
const MOST_CELLS = 1_000_000

export function wordDiff(before: string, now: string): readonly DiffPiece[] {
  const [old, fresh] = [wordsOf(before), wordsOf(now)]
  const start = commonStart(old, fresh)
  const end = commonStart(old.slice(start).toReversed(), fresh.slice(start).toReversed())
  const [oldMiddle, newMiddle] = [
    old.slice(start, old.length - end),
    fresh.slice(start, fresh.length - end),
  ]
  return joined([
    ...old.slice(0, start).map((text) => ({ kind: 'same', text }) as const),
    ...diffMiddle(oldMiddle, newMiddle),
    ...old.slice(old.length - end).map((text) => ({ kind: 'same', text }) as const),
  ])
}

/** White space is a word of its own, so that the words together are the text. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): readonly DiffPiece[] {
  const gone = old.map((text) => ({ kind: 'gone', text }) as const)
  const added = fresh.map((text) => ({ kind: 'new', text }) as const)
  if (old.length * fresh.length > MOST_CELLS) return [...gone, ...added]
  const lengths = commonLengths(old, fresh)
  const width = fresh.length + 1
  const pieces: DiffPiece[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < fresh.length) {
    const [text = '', other = ''] = [old[i], fresh[j]]
    if (text === other) {
      pieces.push({ kind: 'same', text })
      i += 1
      j += 1
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) {
      pieces.push({ kind: 'gone', text })
      i += 1
    } else {
      pieces.push({ kind: 'new', text: other })
      j += 1
    }
  }
  return [...pieces, ...gone.slice(i), ...added.slice(j)]
}

/** At `i * width + j`: the length of the longest common subsequence of the words from `i` and from `j` on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const at = i * width + j
      lengths[at] =
        old[i] === fresh[j]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0)
    }
  }
  return lengths
}

function joined(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const all: { kind: DiffPiece['kind']; text: string }[] = []
  for (const { kind, text } of pieces) {
    const last = all.at(-1)
    if (last?.kind === kind) last.text += text
    else all.push({ kind, text })
  }
  return all
}
