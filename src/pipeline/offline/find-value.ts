/** The value of one argument in a clause, by the argument's kind. Undefined if the clause holds none. Pure. */
import type { Json } from '../../text/json.ts'
import type { ArgumentKind } from './argument-kind.ts'
import type { ClauseReader } from './clause-reader.ts'
import { dateFor } from './date-for.ts'
import { looksNamed } from './read-clause.ts'
import { synonymsFor } from './spoken-nouns.ts'
import type { Token } from './read-tokens.ts'
import { takesValue } from './takes-value.ts'
import type { ArgumentTemplate } from './tool-template.ts'

type Find = (reader: ClauseReader, arg: ArgumentTemplate) => Json | undefined

const NAMED = new Set(['called', 'named', 'titled', 'title', 'entitled'])
const SAYING = new Set(['saying', 'says', 'that', 'text', 'message', 'content', 'body', 'say'])
const ABOUT = new Set([
  'for',
  'about',
  'regarding',
  'matching',
  'containing',
  'on',
  'of',
  'mentioning',
])
const PLACED = new Set(['in', 'near', 'at', 'around'])
const TO = new Set(['to'])
const WITH = new Set(['with', 'as'])

/** `anchored`: only a value that its form or the noun before it gives to this argument. `loose`: from the rest. */
export function findValue(
  reader: ClauseReader,
  arg: ArgumentTemplate,
  how: 'anchored' | 'loose',
): Json | undefined {
  if (how === 'loose') return LOOSE[arg.kind]?.(reader, arg)
  if (arg.arg.choices) return choiceIn(reader, arg.arg.choices)
  return ANCHORED[arg.kind]?.(reader, arg)
}

const ANCHORED: Partial<Record<ArgumentKind, Find>> = {
  url: (reader) => taken(reader, reader.next('url')),
  email: mailFor,
  sql: (reader) => taken(reader, reader.next('sql')),
  path: pathFor,
  owner: (reader) => repoPart(reader, 0),
  repo: (reader) => repoPart(reader, 1),
  pattern: (reader) => taken(reader, reader.next('glob')),
  date: (reader, arg) => dateFor(reader.clause.dates, arg, reader.context.timezone),
  number: (reader, arg) => numberBehind(reader, arg),
  id: (reader, arg) => idBehind(reader, arg),
  title: (reader, arg) => titleFor(reader, arg),
  text: (reader) => (reader.next('quoted') === undefined ? undefined : saidText(reader)),
}

const LOOSE: Partial<Record<ArgumentKind, Find>> = {
  number: (reader) => numberOf(taken(reader, reader.next('number'))),
  id: looseId,
  title: looseTitle,
  text: looseText,
  query: looseQuery,
  place: (reader) => reader.run(PLACED) ?? looseQuery(reader),
  sql: (reader) => taken(reader, reader.next('quoted')),
  path: (reader) => taken(reader, reader.next('quoted')) ?? reader.run(NAMED),
  pattern: (reader) => taken(reader, reader.next('quoted')),
}

function taken(reader: ClauseReader, token: Token | undefined): string | undefined {
  return token && reader.use(token).text
}

function choiceIn(reader: ClauseReader, choices: readonly string[]): string | undefined {
  const said = new Set(reader.clause.tokens.map(({ text }) => text.toLowerCase()))
  return choices.find((choice) => said.has(choice.toLowerCase()))
}

/** `from` takes the address behind the word `from`; other arguments take the first of the other addresses. */
function mailFor(reader: ClauseReader, { arg, isList }: ArgumentTemplate): Json | undefined {
  const { tokens } = reader.clause
  const all = reader.all('email')
  const isFrom = (mail: Token): boolean =>
    /^from$/i.test(tokens[tokens.indexOf(mail) - 1]?.text ?? '')
  const fitting = all.filter((mail) => isFrom(mail) === /from|sender/i.test(arg.name))
  const chosen = isList ? fitting : fitting.slice(0, 1)
  if (chosen.length === 0) return undefined
  const values = chosen.map((mail) => reader.use(mail).text)
  return isList ? values : values[0]
}

function pathFor(reader: ClauseReader, { arg, isList }: ArgumentTemplate): Json | undefined {
  const hasRepo = reader.template.args.some(({ kind }) => kind === 'owner')
  const all = hasRepo ? reader.all('path') : reader.all('path', 'repo')
  if (isList) {
    const paths = reader.all('path')
    return paths.length === 0 ? undefined : paths.map((path) => reader.use(path).text)
  }
  const isGoal = /dest|target|new/i.test(arg.name)
  const behindTo = all.find((path) => isBehind(reader, path, /^(?:to|into|as)$/i))
  return taken(
    reader,
    isGoal ? (behindTo ?? all[1]) : (all.find((path) => path !== behindTo) ?? all[0]),
  )
}

function isBehind(reader: ClauseReader, token: Token, word: RegExp): boolean {
  const { tokens } = reader.clause
  return word.test(tokens[tokens.indexOf(token) - 1]?.text ?? '')
}

function repoPart(reader: ClauseReader, part: 0 | 1): string | undefined {
  const named = reader.clause.values.find(({ kind }) => kind === 'repo')
  if (!named) return undefined
  reader.use(named)
  return named.text.split('/')[part]
}

function numberBehind(reader: ClauseReader, { arg, hints }: ArgumentTemplate): number | undefined {
  if (arg.name === 'head' || arg.name === 'tail')
    return countIn(reader, arg.name === 'head' ? FIRST : LAST)
  if (COUNTS.test(arg.name)) return countIn(reader, COUNTED)
  const found = reader.behind(hints)
  return found?.kind === 'number' ? numberOf(taken(reader, found)) : undefined
}

const COUNTS =
  /^(?:limit|count|k|(?:max|num|per|page)_?(?:results|records|page|size|items|count))$/i

/** `the last 5 messages`. */
const FIRST = /^(?:first|top)$/i
const LAST = /^last$/i
const COUNTED = /^(?:last|first|top|latest|recent|limit|most|next)$/i

function countIn(reader: ClauseReader, before: RegExp): number | undefined {
  const found = reader.all('number').find((one) => isBehind(reader, one, before))
  return numberOf(taken(reader, found))
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number(text?.replace(/^#/, ''))
  return text === undefined || Number.isNaN(value) ? undefined : value
}

function idBehind(
  reader: ClauseReader,
  { arg, hints, isList }: ArgumentTemplate,
): Json | undefined {
  const repo = hints.includes('project') ? reader.next('repo') : undefined
  const token =
    repo ?? reader.behind(hints) ?? (arg.isRequired ? reader.behind(hints, true) : undefined)
  const text = taken(reader, token)?.replace(/^#(?=\d)/, '')
  return text !== undefined && isList ? [text] : text
}

function looseId(reader: ClauseReader, template: ArgumentTemplate): Json | undefined {
  const { arg, hints, isList } = template
  if (hints.includes('calendar')) return 'primary'
  if (/type$/i.test(arg.name)) return kindSaid(reader)
  const token =
    reader.behind(hints.flatMap(synonymsFor)) ??
    reader
      .all('id', 'number', 'channel', 'emoji', 'email')
      .find((value) => takesValue(template, value)) ??
    namedIn(reader) ??
    reader.next('quoted')
  const text = taken(reader, token)?.replace(/^#(?=\d)/, '') ?? reader.run(WITH)
  return text !== undefined && isList ? [text] : text
}

/** `list my contacts` says of which kind: the first word that is no noun of the tool. */
function kindSaid(reader: ClauseReader): string | undefined {
  const { nouns } = reader.template
  const tokens = reader.clause.tokens.filter((token) => reader.isFree(token))
  const word = reader.clause.words.find(
    ({ stem, start }) => !nouns.includes(stem) && tokens.some((token) => token.start === start),
  )
  return word?.text.toLowerCase()
}

function namedIn(reader: ClauseReader): Token | undefined {
  const words = reader.clause.tokens.filter(
    (token) => token.kind === 'word' && reader.isFree(token),
  )
  return (
    words.find(({ text }) => looksNamed(text)) ??
    words.find(({ text }) => /^\p{Lu}\p{Ll}/u.test(text))
  )
}

function titleFor(
  reader: ClauseReader,
  { arg, hints, isList }: ArgumentTemplate,
): Json | undefined {
  const own = new Set([...NAMED, arg.name.toLowerCase()])
  const renamed = /new/i.test(arg.name) ? reader.run(TO) : undefined
  const text = renamed ?? reader.run(own) ?? textBehind(reader, hints)
  return text !== undefined && isList ? [text] : text
}

function textBehind(reader: ClauseReader, hints: readonly string[]): string | undefined {
  const found = hints.includes('id') ? undefined : reader.behind(hints)
  return taken(reader, found)
}

function looseTitle(reader: ClauseReader, { isList }: ArgumentTemplate): Json | undefined {
  const { nouns } = reader.template
  const text = taken(
    reader,
    reader.next('quoted') ?? namedIn(reader) ?? reader.next('id', 'emoji') ?? reader.behind(nouns),
  )
  return text !== undefined && isList ? [text] : text
}

function saidText(reader: ClauseReader): string | undefined {
  return taken(reader, reader.next('quoted'))
}

function looseText(reader: ClauseReader): string | undefined {
  const said = saidText(reader) ?? writtenBy(reader) ?? reader.run(SAYING, true)
  if (said !== undefined) return said
  const required = reader.template.args.filter(({ arg }) => arg.isRequired)
  return required.length === 1 && !reader.saysIt() ? reader.rest() : undefined
}

/** `it` is no content. */
function writtenBy(reader: ClauseReader): string | undefined {
  return reader.saysIt() ? undefined : reader.written()
}

function looseQuery(reader: ClauseReader): string | undefined {
  return taken(reader, reader.next('quoted')) ?? reader.run(ABOUT, true) ?? reader.rest()
}
