/** A search text as the words that count, each with its weight and its other spellings. Pure. */
import { nameTokens, singular } from '../../text/name-tokens.ts'
import { synonymsOf } from '../../text/synonyms.ts'

export interface SearchTerm {
  readonly word: string
  readonly synonyms: readonly string[]
  /** A word that says what to do narrows a search less than one that says with what. */
  readonly weight: number
}

const MAX_TERMS = 8
const WEAK = 0.4

const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))
const EMPTY = setOf(`
  a an the of in on at to for with from by my our your me i we us am is are was be and or it its this that into as do
  can want need please some any all how what which who where about using via thing stuff something
`)
/** True of every entry of a registry of MCP servers. */
const GENERIC = setOf('mcp server tool model context protocol integration connector plugin')
const ACTIONS = setOf(`
  search find look list get read show view fetch write send create make add new open manage use run access connect
  control update edit delete remove check ask query post download upload save generate work
`)

export function searchTerms(text: string): readonly SearchTerm[] {
  const all = wordsOf(text)
  const said = all.filter((word) => !EMPTY.has(word))
  const meant = said.filter((word) => !GENERIC.has(word))
  const words = [meant, said, all].find((list) => list.length > 0) ?? []
  return [...new Set(words)].slice(0, MAX_TERMS).map((word) => ({
    word,
    synonyms: synonymsOf(word).map(singular),
    weight: ACTIONS.has(word) && words.length > 1 ? WEAK : 1,
  }))
}

/** `to-do` is one word, and so is `e-mail`. */
export function wordsOf(text: string): readonly string[] {
  return nameTokens(text.replaceAll(/\b(e|to)-(mail|do)/gi, '$1$2')).map(singular)
}

const MAX_FORMS = 8

/**
 * Texts to ask a registry for that finds the names which contain one: the text as it is, its words joined in the ways of
 * names, then each word, the telling ones first, and their synonyms. The full name of an entry is asked for as it is.
 */
export function searchForms(text: string): readonly string[] {
  if (/[./@]/.test(text) && !/\s/.test(text)) return [text]
  const terms = searchTerms(text)
  const words = terms.map(({ word }) => word)
  const telling = terms.toSorted((a, b) => b.weight - a.weight)
  const others = telling.filter(({ weight }) => weight === 1).flatMap(({ synonyms }) => synonyms)
  const joined = words.length > 1 ? [words.join('-'), words.join('')] : []
  const all = [
    ...(/\s/.test(text) ? [] : [text]),
    ...joined,
    ...telling.map(({ word }) => word),
    ...others,
  ]
  return [...new Set(all)].slice(0, MAX_FORMS)
}
