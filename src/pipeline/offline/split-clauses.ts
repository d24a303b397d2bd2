/** Splits a request into the clauses of its steps: `read a.txt and post it to #general`. At most three. Pure. */
import type { Token } from './read-tokens.ts'
import { isSpokenVerb } from './said-verbs.ts'

const MOST = 3
const JOINS = new Set(['and', 'then', 'afterwards', 'finally'])
/** The answer shows every result, so these ask for no step of their own. */
const SHOWING =
  /^(?:show|tell|give|send|read) (?:me|us)(?: (?:it|them|that|the results?|everything))?$|^(?:summari[sz]e|sum) (?:it|them|that|everything|the results?)(?: up)?$|^sum up (?:it|them|that|the results?)$/i

export function splitClauses(text: string, tokens: readonly Token[]): readonly string[] {
  const cuts = [...tokens.keys()].filter((at) => isCut(tokens, at))
  const clauses: string[] = []
  let from = 0
  for (const at of cuts) {
    clauses.push(slice(text, tokens.slice(from, at)))
    from = at
  }
  clauses.push(slice(text, tokens.slice(from)))
  const steps = clauses.filter((clause, at) => clause !== '' && (at === 0 || !SHOWING.test(clause)))
  return steps.length > MOST ? [text] : steps
}

/** A word that joins, with a command behind it. */
function isCut(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  if (at === 0 || !token || !isJoin(token) || isJoin(tokens[at - 1])) return false
  const next = tokens.slice(at).find((one) => !isJoin(one))
  return next?.kind === 'word' && isSpokenVerb(next.stem) && at + 1 < tokens.length
}

function isJoin(token: Token | undefined): boolean {
  if (token?.kind === 'word') return JOINS.has(token.text.toLowerCase())
  return token?.kind === 'mark' && /^[,;.]$/.test(token.text)
}

function slice(text: string, tokens: readonly Token[]): string {
  const first = tokens.find((token) => !isJoin(token))
  const last = tokens.findLast((token) => !isJoin(token) || token.text === '?')
  return first && last ? text.slice(first.start, last.end) : ''
}
