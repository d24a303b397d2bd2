/** The words of a clause that name a service, with the preposition before them: `in my notion`, `on github`. Pure. */
import type { ServerId } from '../../kernel/server-id.ts'
import { type Clause, isEmptyWord } from './read-clause.ts'
import type { Token } from './read-tokens.ts'
import { stemWord } from './stem-word.ts'
import type { TemplateIndex } from './template-index.ts'

export interface ServiceWords {
  readonly servers: ReadonlySet<ServerId>
  /** With prepositions and articles. */
  readonly tokens: ReadonlySet<Token>
  /** The names alone, as stems. */
  readonly stems: ReadonlySet<string>
  /** Names behind a preposition: the place of the request, hardly its object. */
  readonly places: ReadonlySet<string>
}

const LINKS = new Set('on in with from via using at to through of'.split(' '))
const BREAKS = new Set('for about that it them this'.split(' '))

/** `service`: one that is named outside of the clause, as in `use tavily to …`. */
export function serviceWordsOf(
  clause: Clause,
  index: TemplateIndex,
  service: string | undefined,
): ServiceWords {
  const isName = (token: Token | undefined): token is WordToken =>
    token?.kind === 'word' && index.services(token.stem).size > 0
  const tail = new Set(clause.words.flatMap(({ isTail, start }) => (isTail ? [start] : [])))
  const named = clause.tokens.flatMap((token, at) => {
    if (!isName(token)) return []
    const before = linkBefore(clause.tokens, at, isName)
    // In a search text the name of a service is a word like others.
    return tail.has(token.start) && !before.hasLink ? [] : [{ token, before }]
  })
  const stems = named.map(({ token }) => token.stem)
  const outside = service === undefined ? [] : [stemWord(service)]
  return {
    stems: new Set(stems),
    tokens: new Set(named.flatMap(({ token, before }) => [token, ...before.tokens])),
    places: new Set(named.flatMap(({ token, before }) => (before.hasLink ? [token.stem] : []))),
    servers: new Set([...stems, ...outside].flatMap((stem) => [...index.services(stem)])),
  }
}

type WordToken = Extract<Token, { readonly kind: 'word' }>

function linkBefore(
  tokens: readonly Token[],
  at: number,
  isName: (token: Token | undefined) => boolean,
): { readonly tokens: readonly Token[]; readonly hasLink: boolean } {
  const found: Token[] = []
  for (let before = at - 1; before >= 0; before -= 1) {
    const token = tokens[before]
    if (token?.kind !== 'word' || BREAKS.has(token.text.toLowerCase())) break
    if (!isEmptyWord(token.stem) && !isName(token)) break
    found.push(token)
    if (LINKS.has(token.text.toLowerCase())) return { tokens: found, hasLink: true }
  }
  return { tokens: found.filter((token) => isName(token)), hasLink: false }
}
