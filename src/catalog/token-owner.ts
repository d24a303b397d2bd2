/**
 * Whose token is in a text, alone or among other words, told by prefix and shape. It sees every message before anything
 * else does, so it must not take `fc-barcelona` or `secret_santa` for one; what merely looks random is nobody's.
 */
import { RE2JS } from 're2js'
import type { CredentialNeed, Service } from '../ports/service-facts.ts'
import { isWeakPrefix } from '../text/known-tokens.ts'
import { isMixedRun } from '../text/random-text.ts'

const MAX_TOKEN = 4096
/** Real tokens are longer. */
const SHORTEST_TAIL = 12

interface Mark {
  readonly service: Service
  readonly prefix: string
  readonly isMatch: (text: string) => boolean
}

export function createTokenOwner(
  services: readonly Service[],
): (text: string) => Service | undefined {
  const needs = services.flatMap((service) =>
    service.credentials
      .filter(({ secret }) => secret !== undefined)
      .map((need) => ({ service, need })),
  )
  const marks = needs
    .flatMap(({ service, need }) => [...patternMarks(service, need), ...prefixMarks(service, need)])
    .sort((a, b) => b.prefix.length - a.prefix.length)
  return (text) => {
    for (const word of wordsOf(text)) {
      const mark = marks.find(({ isMatch }) => isMatch(word))
      if (mark) return mark.service
    }
    return undefined
  }
}

/** A token may hold `:`, `/` or `=`, and may just as well stand beside one: the text is cut coarsely and finely. */
function wordsOf(text: string): Set<string> {
  const fine = text.split(/[^\w.~+-]+/)
  const bare = fine.map((word) => /[A-Za-z0-9].*[A-Za-z0-9]/s.exec(word)?.[0] ?? '') // `__token__`
  const words = [text.split(/\s+/), text.split(/[\s"'`=,;<>()]+/), fine, bare].flat()
  return new Set(words.filter(({ length }) => length > SHORTEST_TAIL && length <= MAX_TOKEN))
}

function patternMarks(service: Service, { pattern, prefixes }: CredentialNeed): readonly Mark[] {
  if (pattern === undefined) return []
  const shape = RE2JS.compile(pattern)
  return [{ service, prefix: prefixes[0] ?? '', isMatch: (text) => shape.matches(text) }]
}

/** Only prefixes that end in a separator: `ghp_` begins tokens, `pat` begins patterns and patience. */
function prefixMarks(service: Service, { prefixes }: CredentialNeed): readonly Mark[] {
  return prefixes
    .filter((prefix) => /[_.-]$/.test(prefix))
    .map((prefix) => ({
      service,
      prefix,
      isMatch: (text) => text.startsWith(prefix) && isTail(prefix, text.slice(prefix.length)),
    }))
}

function isTail(prefix: string, tail: string): boolean {
  if (tail.length < SHORTEST_TAIL || !/^[\w.~+/=:-]+$/.test(tail)) return false
  if (!isWeakPrefix(prefix)) return /\d|[A-Za-z]{16}/.test(tail)
  return tail.split(/[^A-Za-z0-9]+/).some((run) => isMixedRun(run))
}
