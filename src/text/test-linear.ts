/**
 * For tests: that work grows with the length of a text and not with its square. Counted in processor time, which other
 * programs on the machine hardly change; a square takes hours where linear work takes a fraction of a second.
 */
import assert from 'node:assert/strict'

/** Many times what linear work takes on a slow machine. */
const MOST_MS = 10_000
const SHORTEST = 16_384

/** Adds up the processor time of what it is given, and fails as soon as that is too much. */
export function createMeter(what: string): (work: () => unknown) => void {
  let spentMs = 0
  return (work) => {
    const before = process.cpuUsage()
    work()
    spentMs += process.cpuUsage(before).user / 1000
    assert.ok(spentMs < MOST_MS, `${what} took ${Math.round(spentMs)} ms of processor time`)
  }
}

/** Each piece, repeated until it is so long. Shorter ones come first, so that a square fails before it hangs. */
export function assertLinear(
  pieces: readonly string[],
  longest: number,
  work: (text: string) => unknown,
): void {
  for (const piece of pieces) {
    for (let length = Math.min(SHORTEST, longest); ; length = Math.min(2 * length, longest)) {
      const text = piece.repeat(Math.ceil(length / piece.length))
      createMeter(`${JSON.stringify(piece)} as ${text.length} characters`)(() => work(text))
      if (length === longest) break
    }
  }
}
