/**
 * Names that can be confused with each other. People write `Google Drive`, `google-drive` and `GOOGLEDRIVE` for the
 * same service; an attacker writes `gооgle` with letters of another alphabet for a different one. Pure.
 */
import { seenText } from './untrusted-text.ts'

/** Letters of other alphabets that look like Latin ones. Capitals first: some look different in lower case. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    ['АΑ', 'A'],
    ['ВΒ', 'B'],
    ['СϹ', 'C'],
    ['ЕΕ', 'E'],
    ['НΗ', 'H'],
    ['ІΙӀ', 'I'],
    ['Ј', 'J'],
    ['КΚ', 'K'],
    ['МΜ', 'M'],
    ['Ν', 'N'],
    ['ОΟ', 'O'],
    ['РΡ', 'P'],
    ['Ѕ', 'S'],
    ['ТΤ', 'T'],
    ['ΥҮ', 'Y'],
    ['ХΧ', 'X'],
    ['Ζ', 'Z'],
    ['аαɑ', 'a'],
    ['ЬƄвβ', 'b'],
    ['сϲ', 'c'],
    ['ԁɗ', 'd'],
    ['еёε', 'e'],
    ['ɡց', 'g'],
    ['һн', 'h'],
    ['іιıӏ', 'i'],
    ['јϳ', 'j'],
    ['кκ', 'k'],
    ['ⅼł', 'l'],
    ['мɱ', 'm'],
    ['пηո', 'n'],
    ['оοօø', 'o'],
    ['рρ', 'p'],
    ['ԛ', 'q'],
    ['г', 'r'],
    ['ѕ', 's'],
    ['тτ', 't'],
    ['υս', 'u'],
    ['νѵ', 'v'],
    ['ԝω', 'w'],
    ['хχ', 'x'],
    ['уγү', 'y'],
    ['ᴢ', 'z'],
  ].flatMap(([letters = '', latin = '']) => Array.from(letters, (letter) => [letter, latin])),
)

/** The name without case, width, spaces and punctuation; letters stay as they are. */
export function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
}

/**
 * Like `plainName`, also without accents and invisible characters, and with look-alike letters replaced by the Latin
 * ones.
 */
export function foldName(name: string): string {
  const seen = seenText(name).normalize('NFKD')
  const latin = Array.from(seen, (letter) => LOOK_ALIKES.get(letter) ?? letter)
  return plainName(latin.join('').replace(/\p{M}+/gu, ''))
}

/** A key that equal-looking names share: `g1thub`, `glthub` and `github` have the same one. */
export function eyeName(name: string): string {
  return foldName(name)
    .replace(/0/g, 'o')
    .replace(/[1i]/g, 'l')
    .replace(/5/g, 's')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
}

/** Maps each later name to the earlier name it can be confused with. The earlier one keeps its name. */
export function lookAlikes(names: readonly string[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  const alike = new Map<string, string>()
  for (const name of names) {
    const look = lookOf(name)
    const earlier = first.get(look)
    if (earlier === undefined) first.set(look, name)
    else if (earlier !== name) alike.set(name, earlier)
  }
  return alike
}

/** Names with the same result can be confused with each other. */
export function lookOf(name: string): string {
  // A name without a letter or digit folds to the empty string, so it is compared as it is.
  return eyeName(name) || name
}

const ALPHABETS = {
  Latin: /\p{sc=Latin}/u,
  Cyrillic: /\p{sc=Cyrillic}/u,
  Greek: /\p{sc=Greek}/u,
  Armenian: /\p{sc=Armenian}/u,
  Hebrew: /\p{sc=Hebrew}/u,
  Cherokee: /\p{sc=Cherokee}/u,
} as const

export type Disguise =
  | { readonly kind: 'mixed'; readonly alphabets: readonly string[] }
  | { readonly kind: 'foreign'; readonly alphabet: string; readonly passesFor: string }

/** A word in letters of several alphabets, or of one other alphabet that can be read as Latin throughout. */
export function disguiseOf(word: string): Disguise | undefined {
  const alphabets = Object.entries(ALPHABETS).flatMap(([name, letters]) =>
    letters.test(word) ? [name] : [],
  )
  if (alphabets.length > 1) return { kind: 'mixed', alphabets }
  const [alphabet] = alphabets
  const passesFor = foldName(word)
  if (alphabet === undefined || alphabet === 'Latin' || !/^[a-z0-9]+$/.test(passesFor))
    return undefined
  return { kind: 'foreign', alphabet, passesFor }
}
