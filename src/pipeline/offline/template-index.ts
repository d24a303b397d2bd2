/**
 * All tools as templates, with what only their number tells: how much a noun says, which words name which noun, and which
 * words name a service. Made once per list of tools. Pure.
 */
import type { ServerId } from '../../kernel/server-id.ts'
import type { ToolCard } from '../../ports/tool-view.ts'
import { nameTokens } from '../../text/name-tokens.ts'
import { isToolVerb } from './said-verbs.ts'
import { spokenFor } from './spoken-nouns.ts'
import { stemWord } from './stem-word.ts'
import { createToolTemplate, type ToolTemplate } from './tool-template.ts'

export interface TemplateIndex {
  readonly templates: readonly ToolTemplate[]
  /** How much a word tells: high for a word of few tools. */
  rarity(stem: string): number
  /** How much a noun tells about a tool of this server: little if most of its tools have it. */
  weight(noun: string, server: ServerId): number
  /** How many tools have this verb. */
  verbCount(verb: string): number
  /** How well a spoken word names nouns of tools, from 0 to 1. */
  named(stem: string): ReadonlyMap<string, number>
  /** Whether any tool of the server has the word in its name. */
  isOf(stem: string, server: ServerId): boolean
  /** The servers that a word names, by their slugs or by words that many of their tools begin with. */
  services(stem: string): ReadonlySet<ServerId>
}

/** Parts of slugs that name no service. */
const VAGUE = new Set(
  'mcp server api old new archived demo test dev local remote official community the main my'
    .split(' ')
    .map(stemWord),
)
/** Nouns that every kind of object has. */
const GENERIC = new Set(
  'content info detail data item object resource information value multiple batch bulk'
    .split(' ')
    .map(stemWord),
)
const GENERIC_SHARE = 0.3
/** Of fewer tools a shared word says nothing about the server. */
const MIN_SHARED = 4
/** The share of a server's tools that begin with a word for it to count as a prefix. */
const MOST = 0.6
const MIN_TOOLS = 3
/** The share of a server's tools that hold a word of another server's slug, to be named by it too. */
const MANY = 0.1

export function createTemplateIndex(cards: readonly ToolCard[]): TemplateIndex {
  const byServer = Map.groupBy(cards, ({ id }) => id.server)
  const names = namesOf(byServer)
  const templates = [...byServer].flatMap(([server, own]) => {
    const slug = nameTokens(server).map(stemWord)
    const prefix = new Set([...slug, ...sharedPrefix(own)].filter((word) => !isToolVerb(word)))
    return own.map((card) => createToolTemplate(card, prefix))
  })
  const counts = countWords(templates.flatMap(({ nouns }) => nouns))
  const verbs = countWords(templates.flatMap(({ verbs: own }) => own))
  const rarity = (stem: string): number =>
    Math.log(2 + templates.length / (1 + (counts.get(stem) ?? 0)))
  const weights = new Map(
    [...Map.groupBy(templates, ({ card }) => card.id.server)].map(([server, own]) => [
      server,
      weightsOf(own, names, rarity),
    ]),
  )
  const said = spokenFor([...counts.keys()])
  return {
    templates,
    rarity,
    weight: (noun, server) => weights.get(server)?.get(noun) ?? 0,
    verbCount: (verb) => verbs.get(verb) ?? 0,
    named: (stem) => said.get(stem) ?? NOTHING,
    isOf: (stem, server) => weights.get(server)?.has(stem) === true,
    services: (stem) => {
      const found =
        names.get(stem) ?? names.get([...names.keys()].find((name) => isPart(stem, name)) ?? '')
      return found ?? NONE
    },
  }
}

/** By noun of the server's tools. */
function weightsOf(
  own: readonly ToolTemplate[],
  names: ReadonlyMap<string, ReadonlySet<ServerId>>,
  rarity: (stem: string) => number,
): ReadonlyMap<string, number> {
  const server = own[0]?.card.id.server
  const slug = new Set(nameTokens(server ?? '').map(stemWord))
  const counts = countWords(own.flatMap(({ nouns }) => nouns))
  const weights = [...counts].map(([noun, count]): [string, number] => {
    const share = count / Math.max(MIN_SHARED, own.length)
    const base = rarity(noun) * Math.max(0.2, 1 - 1.5 * share)
    // `google` in the names of tools of `gdrive` says as little as their own prefix.
    const isName = server !== undefined && names.get(noun)?.has(server) === true && !slug.has(noun)
    return [noun, GENERIC.has(noun) || isName ? GENERIC_SHARE * base : base]
  })
  return new Map(weights)
}

const NOTHING: ReadonlyMap<string, number> = new Map()
const NONE: ReadonlySet<ServerId> = new Set()

function countWords(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function namesOf(
  byServer: ReadonlyMap<ServerId, readonly ToolCard[]>,
): ReadonlyMap<string, ReadonlySet<ServerId>> {
  const names = new Map<string, Set<ServerId>>()
  for (const [server, own] of byServer) {
    const words = [...nameTokens(server).map(stemWord), ...sharedPrefix(own)]
    for (const word of words.filter(
      (one) => !VAGUE.has(one) && !isToolVerb(one) && one.length > 1,
    )) {
      names.set(word, (names.get(word) ?? new Set()).add(server))
    }
  }
  for (const [server, own] of byServer) {
    const counts = countWords(own.flatMap(({ id }) => nameTokens(id.name).map(stemWord)))
    for (const [word, servers] of names) {
      if ((counts.get(word) ?? 0) >= Math.max(MIN_TOOLS, MANY * own.length)) servers.add(server)
    }
  }
  return names
}

const MIN_PART = 5

/** `drive` names `gdrive`, `mongo` names `mongodb`, `postgresql` names `postgres`. */
function isPart(said: string, name: string): boolean {
  const [short, long] = said.length < name.length ? [said, name] : [name, said]
  if (short.length < MIN_PART - 1 || long.length - short.length > 3) return false
  return (short.length >= MIN_PART && long.startsWith(short)) || long.endsWith(short)
}

function sharedPrefix(cards: readonly ToolCard[]): readonly string[] {
  if (cards.length < MIN_TOOLS) return []
  const firsts = cards.flatMap(({ id }) => nameTokens(id.name).slice(0, 1).map(stemWord))
  const counts = countWords(firsts)
  return [...counts].flatMap(([word, count]) => (count >= MOST * cards.length ? [word] : []))
}
