/** Hides the key in what a model says, since some repeat it: also where it is split over pieces of a stream. Pure. */

const SHORTEST_KEY = 8
const HIDDEN = '[redacted]'

/** Below `SHORTEST_KEY` a key is left: it could be an ordinary word. */
export function hideKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < SHORTEST_KEY ? text : text.replaceAll(key, HIDDEN)
}

export interface Pieces {
  push(piece: string): void
  /** Passes on what was held back. */
  end(): void
}

/** Holds back the end of a piece that could be the beginning of the key. */
export function hideKeyInPieces(key: string | undefined, pass: (piece: string) => void): Pieces {
  let held = ''
  const show = (text: string): void => {
    if (text !== '') pass(text)
  }
  return {
    push(piece) {
      const text = hideKey(held + piece, key)
      held = key === undefined || key.length < SHORTEST_KEY ? '' : beginningOf(key, text)
      show(text.slice(0, text.length - held.length))
    },
    end() {
      show(held)
      held = ''
    },
  }
}

/** The longest end of the text that the key begins with. */
function beginningOf(key: string, text: string): string {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(key.slice(0, length))) return key.slice(0, length)
  }
  return ''
}
