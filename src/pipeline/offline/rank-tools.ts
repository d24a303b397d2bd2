/**
 * Scores tools against one clause: does its verb fit, are the nouns of the tool's name said, are the words of the clause
 * explained, is its service named, do its arguments take the values. A tool that writes is scored only for a command.
 * Pure.
 */
import type { Clause, SpokenWord } from './read-clause.ts'
import type { ValueToken } from './read-tokens.ts'
import { fitOfVerb } from './said-verbs.ts'
import type { ServiceWords } from './service-words.ts'
import { impliedFit } from './spoken-nouns.ts'
import { stemWord } from './stem-word.ts'
import { takesValue } from './takes-value.ts'
import type { TemplateIndex } from './template-index.ts'
import type { ToolTemplate } from './tool-template.ts'

export interface Ranked {
  readonly template: ToolTemplate
  readonly score: number
  /** Enough of the clause and of the tool's name agree for a plan. */
  readonly isLikely: boolean
}

export interface Asked {
  readonly clause: Clause
  readonly service: ServiceWords
  /** Only a plain request may lead to a write. */
  readonly mayWrite: boolean
  /** `server.tool` as the tool search ranks them, best first. */
  readonly searched: readonly string[]
}

interface Ranking extends Asked {
  readonly index: TemplateIndex
  readonly places: ReadonlyMap<string, number>
  /** The word that the verb is about: the first one that names no service. */
  readonly object: SpokenWord | undefined
}

const SERVICE = 0.7
const OTHER_SERVICE = 1.2
const SEARCH = 0.5
const UNFIT_VALUE = 0.6
const UNUSED = 0.07
const OBJECT = 0.35
const NUMBER = 0.15
const DATED = 0.3
const ASKED_FOR = 0.25
const ONE_FILE = 0.8
const FOLDER = 0.3
/** A verb that so few tools have tells more than the nouns. */
const RARE_VERB = 6

export function rankTools(index: TemplateIndex, asked: Asked): readonly Ranked[] {
  const places = new Map(asked.searched.map((key, at) => [key, at]))
  const object = objectOf(asked)
  const ranking = { ...asked, index, places, object }
  const ranked: Ranked[] = []
  for (const template of index.templates) {
    const verb = verbFit(template, asked, index)
    if (verb > 0) ranked.push(rank(template, ranking, verb))
  }
  return ranked.sort((a, b) => b.score - a.score)
}

/** Of a compound such as `pull requests` the first word, in the number of the second. */
function objectOf({ clause, service }: Asked): SpokenWord | undefined {
  const at = clause.words.findIndex(({ stem }) => !service.stems.has(stem))
  const [first, next] = at < 0 ? [] : clause.words.slice(at, at + 2)
  if (!first) return undefined
  const isCompound = next?.start === first.start + first.text.length + 1 && !next.isTail
  return isCompound && next.isMany ? { ...first, isMany: true } : first
}

function rank(template: ToolTemplate, ranking: Ranking, verb: number): Ranked {
  const { clause, service } = ranking
  const nouns = nounFit(template, ranking)
  const words = wordFit(template, ranking)
  const unfit = clause.values.filter((value) => !doesTake(template, value)).length
  const isNamed = service.servers.has(template.card.id.server)
  const elsewhere = service.servers.size > 0 && !isNamed ? OTHER_SERVICE : 0
  const score =
    verb +
    1.2 * (nouns + words) +
    (isNamed ? SERVICE : -elsewhere) +
    objectFit(template, ranking) +
    searchFit(template, ranking) -
    UNFIT_VALUE * unfit +
    (clause.isInFolder ? folderFit(template) : 0)
  const isLikely = unfit === 0 && isEnough(template, ranking, { verb, nouns, words, isNamed })
  return { template, score: score - unusedOf(template, clause), isLikely }
}

/** The things in a folder are shown by a tool that is about folders, and not by one that reads a file. */
function folderFit({ nouns, isMany, isReading }: ToolTemplate): number {
  if (isReading && !isMany && nouns.includes('file')) return -ONE_FILE
  return nouns.includes('directory') || nouns.includes('folder') ? FOLDER : 0
}

interface Fit {
  readonly verb: number
  readonly nouns: number
  readonly words: number
  readonly isNamed: boolean
}

function isEnough(template: ToolTemplate, { index }: Ranking, fit: Fit): boolean {
  const { nouns, words, isNamed } = fit
  if (isToldByVerb(template, fit, index)) return words >= 0.4
  return isNamed ? nouns >= 0.44 && words >= 0.4 : nouns >= 0.6 && words >= 0.5
}

/** `fork …`, and `search linear for …`, which names neither issues nor documents. */
function isToldByVerb(
  { verbs, nouns: own, args }: ToolTemplate,
  { verb, nouns, isNamed }: Fit,
  index: TemplateIndex,
): boolean {
  const [main = ''] = verbs
  const isSearch = isNamed && verb >= 0.85 && args.some(({ kind }) => kind === 'query')
  const isRare = verb === 1 && index.verbCount(main) <= RARE_VERB
  return isSearch || (isRare && (isNamed || nouns > 0 || own.length === 0))
}

/** Values that no argument is left for, or arguments that no value is there for. */
function unusedOf({ args }: ToolTemplate, { values }: Clause): number {
  const required = args.filter(({ arg }) => arg.isRequired).length
  return UNUSED * Math.abs(required - values.length)
}

function searchFit({ key }: ToolTemplate, { places }: Ranking): number {
  const place = places.get(key)
  return place === undefined ? 0 : SEARCH * (1 - place / (places.size + 1))
}

/** The object of the verb is a noun of the tool, in the same number; arguments take the date, and the words behind `for`. */
function objectFit(template: ToolTemplate, { index, object, clause }: Ranking): number {
  const { nouns, isMany, args } = template
  const isDated = args.some(({ kind }) => kind === 'date')
  const dated = clause.dates.length === 0 ? 0 : isDated ? DATED : -DATED
  const isAskedFor = clause.words.some(({ isTail, isValue }) => isTail && !isValue)
  const isTaken = isAskedFor && args.some(({ kind }) => kind === 'query' || kind === 'title')
  const taken = dated + (isTaken ? ASKED_FOR : 0)
  if (!object) return taken
  const named = index.named(object.stem)
  const fit = bestNamed(named, nouns)
  const isAlike = isMany === object.isMany
  return taken + OBJECT * fit + (fit === 0 ? 0 : isAlike ? NUMBER : -NUMBER)
}

function doesTake(template: ToolTemplate, value: ValueToken): boolean {
  return template.args.some((arg) => takesValue(arg, value))
}

/** Zero: the tool cannot be what the clause asks for. */
function verbFit(
  template: ToolTemplate,
  { clause, mayWrite }: Asked,
  index: TemplateIndex,
): number {
  const { head } = clause
  if (!template.isReading && (!mayWrite || head.kind !== 'verb')) return 0
  if (head.kind === 'verb') return commandFit(template, head.stem, index)
  return template.isReading ? readFit(template, head.kind === 'ask' ? head.word : '') : 0
}

function commandFit(template: ToolTemplate, spoken: string, index: TemplateIndex): number {
  const { verbs, nouns, isReading } = template
  const [main, ...others] = verbs
  const named = index.named(spoken)
  const asNoun = bestNamed(named, nouns)
  if (main === undefined) {
    return Math.max(0.9 * asNoun, isReading ? 0.9 * fitOfVerb(spoken, 'get') : 0)
  }
  const [other] = others
  const own = Math.max(
    fitOfVerb(spoken, main),
    other === undefined ? 0 : 0.6 * fitOfVerb(spoken, other),
  )
  // To comment is to add a comment, to e-mail is to send an e-mail.
  return Math.max(own, MAKING.has(main) && asNoun > 0 ? 0.95 : 0)
}

function bestNamed(named: ReadonlyMap<string, number>, nouns: readonly string[]): number {
  if (named.size === 0) return 0
  let best = 0
  for (const noun of nouns) best = Math.max(best, named.get(noun) ?? 0)
  return best
}

const MAKING = new Set(['creat', 'add', 'send', 'post', 'make'])
const READS: Readonly<Record<string, number>> = {
  list: 1,
  get: 0.97,
  read: 0.95,
  find: 0.95,
  search: 0.9,
  count: 0.8,
}

function readFit({ verbs }: ToolTemplate, word: string): number {
  const [main] = verbs
  if (main === undefined) return 0.9
  if (word === 'count' && main === 'count') return 1.2
  return READS[main] ?? 0.8
}

/** The share of the tool's own nouns that are said, by how much each tells. */
function nounFit({ nouns, card }: ToolTemplate, ranking: Ranking): number {
  const { index, service } = ranking
  if (nouns.length === 0) return service.servers.has(card.id.server) ? 0.8 : 0.55
  let all = 0
  let said = 0
  for (const noun of nouns) {
    const weight = index.weight(noun, card.id.server)
    all += weight
    said += weight * saidOf(noun, ranking)
  }
  return said / all
}

function saidOf(noun: string, { clause, index, service }: Ranking): number {
  const { head, words, values } = clause
  let best = Math.max(0, ...values.map((value) => impliedFit(noun, value)))
  if (head.kind === 'verb') best = Math.max(best, 0.9 * (index.named(head.stem).get(noun) ?? 0))
  for (const { stem, isTail } of words) {
    // `on my calendar` says where, so it is only a weak sign of calendars.
    const share = service.places.has(stem) ? 0.6 : isTail ? 0.75 : 1
    best = Math.max(best, share * (index.named(stem).get(noun) ?? 0))
  }
  return best
}

/** Unexplained they tell nothing against a tool. */
const NEUTRAL = new Set(
  `back workspace account app open active full whole entire contents content look see know have right away down off
  check current list page message info detail line`
    .split(/\s+/)
    .map(stemWord),
)

/** The share of the clause's words that the tool explains, by rarity. Words that are likely a value need none. */
function wordFit(template: ToolTemplate, { clause, index, service }: Ranking): number {
  let all = 0
  let explained = 0
  for (const word of clause.words) {
    const fit = service.stems.has(word.stem) ? 1 : explains(template, word.stem, index)
    if (fit < 0.5 && (word.isTail || word.isValue || NEUTRAL.has(word.stem))) continue
    const rarity = index.rarity(word.stem)
    all += rarity
    explained += rarity * fit
  }
  return all === 0 ? 0.9 : explained / all
}

/** A word of a neighbouring tool at least belongs to the service. */
const OF_SERVICE = 0.35

function explains(
  { nouns, verbs, args, card }: ToolTemplate,
  stem: string,
  index: TemplateIndex,
): number {
  const named = index.named(stem)
  const own = bestNamed(named, nouns)
  if (own === 1 || verbs.includes(stem)) return 1
  const isHinted = args.some(({ hints }) => hints.includes(stem))
  return Math.max(own, isHinted ? 0.7 : 0, index.isOf(stem, card.id.server) ? OF_SERVICE : 0)
}
