/** Which facts belong to some words: those that share the most of them, the newest of equals first. Pure. */
import { nameTokens, singular } from '../text/name-tokens.ts'

const LITTLE_WORDS: ReadonlySet<string> = new Set(
  [
    'a an the my your our his her their its of to in on at for from by with and or not no',
    'is are was were be been am do does did have has had will would can could should',
    'i me you he she it we they us them this that these those there here',
    'what who whom whose which when where why how please tell know about remember s t',
  ].flatMap((line) => line.split(' ')),
)

export function rankFacts<F extends { readonly text: string; readonly number: number }>(
  facts: readonly F[],
  words: string,
): readonly F[] {
  const wanted = contentWords(words)
  if (wanted.size === 0) return []
  return facts
    .map((fact) => ({ fact, shared: contentWords(fact.text).intersection(wanted).size }))
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.shared - a.shared || b.fact.number - a.fact.number)
    .map(({ fact }) => fact)
}

/** The words that carry meaning, in the singular. */
export function contentWords(text: string): ReadonlySet<string> {
  const words = nameTokens(text).filter((word) => !LITTLE_WORDS.has(word))
  return new Set(words.map(singular))
}
