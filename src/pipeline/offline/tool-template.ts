/**
 * A tool card taken apart once, for all sentences: the verbs and nouns of its name, its service, and the kind of value
 * that each argument takes. Reads the card only, which holds no text of a server that nobody vouches for. Pure.
 */
import { isRead } from '../../kernel/effect.ts'
import { showTool } from '../../kernel/tool-id.ts'
import type { CardArgument, ToolCard } from '../../ports/tool-view.ts'
import { nameTokens, singular } from '../../text/name-tokens.ts'
import { type ArgumentKind, kindOfArgument } from './argument-kind.ts'
import { isToolVerb } from './said-verbs.ts'
import { stemWord } from './stem-word.ts'

export interface ArgumentTemplate {
  readonly arg: CardArgument
  readonly kind: ArgumentKind
  /** Stems of the nouns that stand before its value: `channel` for `channel_id`. */
  readonly hints: readonly string[]
  readonly isList: boolean
}

export interface ToolTemplate {
  readonly card: ToolCard
  /** `server.tool`. */
  readonly key: string
  /** Stems; empty if the name has no verb. The first one is the main one. */
  readonly verbs: readonly string[]
  readonly nouns: readonly string[]
  /** Answers with many: a list, or a plural in its name. */
  readonly isMany: boolean
  /** The tool reads, by the host's judgement or, where nobody said, by its own plain claim. */
  readonly isReading: boolean
  readonly args: readonly ArgumentTemplate[]
}

/** In a name such as `API-post-search` the method of HTTP says less than the verb that follows. */
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delet'])
const EMPTY = new Set('a an the of in on at to for with from by and or as is api id all'.split(' '))

/** `prefix`: words that stand in most names of the server's tools, and say nothing about one of them. */
export function createToolTemplate(card: ToolCard, prefix: ReadonlySet<string>): ToolTemplate {
  const words = nameTokens(card.id.name).filter((word) => !EMPTY.has(stemWord(word)))
  // A plural is what the tool is about, though its server be called the same: `calendars_list`.
  const from = words.findIndex((word) => !prefix.has(stemWord(word)) || singular(word) !== word)
  const name = words.slice(Math.max(0, from)).map(stemWord)
  const verbs = verbsOf(name)
  const nouns = [...new Set(name.filter((word) => !verbs.includes(word)))]
  return {
    card,
    key: showTool(card.id),
    verbs,
    nouns,
    isMany: verbs[0] === 'list' || words.some((word) => singular(word) !== word),
    isReading: isRead(card.effect) || card.claims === 'read',
    args: card.args.map((arg) => argumentTemplate(arg, { nouns, name })),
  }
}

/** The first verb counts, and of a name with two the one behind a method of HTTP. A single word is a verb. */
function verbsOf(name: readonly string[]): readonly string[] {
  if (name.length === 1) return name
  const [first, ...more] = name.filter((word, at) => isToolVerb(word) && !isNoun(name, at))
  if (first === undefined) return []
  const [second] = more
  return METHODS.has(first) && second !== undefined && name.indexOf(first) === 0
    ? [second, first]
    : [first]
}

/** Words that are verbs only at the beginning of a name: `get_commit_status`, `list_merge_requests`. */
const NOUNS = new Set(
  `commit merg comment post messag map query link label log copi record type note note complet start stop share
  schedul monitor check subscri research extract filter format style form view fork star pin publish`
    .split(/\s+/)
    .map(stemWord),
)

function isNoun(name: readonly string[], at: number): boolean {
  const word = name[at] ?? ''
  if (word === 'merg' && name[at + 1] === 'request') return true
  return at > 0 && NOUNS.has(word) && name.some((other) => other !== word && isToolVerb(other))
}

function argumentTemplate(
  arg: CardArgument,
  { nouns, name }: { readonly nouns: readonly string[]; readonly name: readonly string[] },
): ArgumentTemplate {
  const kind = kindOfArgument(arg, name)
  const words = nameTokens(arg.name).map(stemWord)
  const own = words.filter((word) => !TAILS.has(word))
  const hints = own.length > 0 ? own : ['id', ...nouns]
  return { arg, kind, hints, isList: arg.type.includes('[]') }
}

/** Last words of an argument's name that say only which form its value has. */
const TAILS = new Set(
  'id iid uid key sha slug ts timestamp number name title ref uuid text body content value or new string input'
    .split(' ')
    .map(stemWord),
)
