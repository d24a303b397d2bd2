/** Splits a text into messages that Telegram takes, at a line or a space. Never cuts a character; loses nothing. Pure. */

/** In UTF-16 code units, as Telegram counts. */
const LONGEST = 4096
/** A line or a space is looked for in the last part of a message only, so that no message is nearly empty. */
const LEAST_SHARE = 0.5
/** Marks, joiners and the second half of a character: a message never begins with one. */
const GOES_ON = /^(?:\p{M}|\u200d|[\udc00-\udfff]|\p{Emoji_Modifier})/u
const MOST_STEPS = 64

/** Messages of white space alone are left out: Telegram refuses them. */
export function splitText(text: string, longest: number = LONGEST): readonly string[] {
  const pieces: string[] = []
  for (let rest = text; rest.length > 0; ) {
    const end = rest.length <= longest ? rest.length : endOf(rest, longest)
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return pieces.filter((piece) => piece.trim() !== '')
}

function endOf(text: string, longest: number): number {
  const least = Math.floor(longest * LEAST_SHARE)
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, longest - mark.length)
    if (at >= least) return at + mark.length
  }
  return beforeCharacter(text, longest)
}

function beforeCharacter(text: string, longest: number): number {
  for (let end = longest; end > longest - MOST_STEPS; end -= 1) {
    const isJoined = text[end - 1] === '\u200d'
    if (!GOES_ON.test(text.slice(end, end + 2)) && !isJoined) return end
  }
  // A pile of marks that is longer than any real character: cut it, but no surrogate pair.
  return /[\udc00-\udfff]/.test(text[longest] ?? '') ? longest - 1 : longest
}
