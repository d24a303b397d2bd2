/**
 * How names are compared. People write `Google Drive`, `google-drive` and `GOOGLEDRIVE` for one thing; strangers write
 * `gооgle` with letters of another alphabet for another. Pure.
 */

/** Letters of other alphabets that pass for Latin ones, row by row. Capitals first: some look different when small. */
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

/** Case, width, spaces and punctuation aside, but letter for letter. */
export function plainName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '')
}

/** Like `plainName`, with accents dropped and look-alike letters read as the Latin ones they pass for. */
export function foldName(name: string): string {
  const latin = Array.from(name.normalize('NFKD'), (letter) => LOOK_ALIKES.get(letter) ?? letter)
  return plainName(latin.join('').replace(/\p{M}+/gu, ''))
}

/** What the eye makes of a name: `g1thub`, `glthub` and `github` are one. */
export function eyeName(name: string): string {
  return foldName(name)
    .replace(/0/g, 'o')
    .replace(/[1i]/g, 'l')
    .replace(/5/g, 's')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
}
