/**
 * Lists in the chat: `/tools`, `/flows`, `/audit`, `/profiles`. Reads over the API and shows no content: of a decision
 * its time, tool and outcome, of a tool the words of its card.
 */
import type { Api } from '../api/contract.ts'
import { showDecisions } from '../api/show-decisions.ts'
import { showProfiles } from '../api/show-profiles.ts'
import type { Effect } from '../kernel/effect.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { ToolListing } from '../ports/tool-view.ts'
import { alignColumns } from '../text/align-columns.ts'
import { seenLine } from '../text/untrusted-text.ts'
import { usageOf } from './chat-help.ts'

export type ListingsApi = Api<
  'tools.list' | 'grants.list' | 'flows.list' | 'audit.search' | 'profiles.list' | 'profiles.use'
>

type Listing = (
  rest: string,
  signal: AbortSignal,
  typed: { readonly isHere: boolean },
) => Promise<string | undefined>

/** By name. Without its slash each is a common word: "tools for the garden" is a sentence. */
export function chatListings(api: ListingsApi): Readonly<Record<string, Listing>> {
  const alone = async (rest: string, name: string) => (rest === '' ? usageOf(name) : undefined)
  return {
    '/connect': (rest) => alone(rest, '/connect'),
    '/save': (rest) => alone(rest, '/save'),
    '/tools': (rest) => listTools(api, rest),
    '/flows': () => listFlows(api),
    '/audit': (rest) => listDecisions(api, rest),
    '/profiles': (rest, _signal, { isHere }) => answerProfiles(api, rest, isHere),
  }
}

const MOST_LINES = 20
const LONGEST_SUMMARY = 50
const LONGEST_NAME = 80

const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  'local-read': 'reads',
  'remote-read': 'reads',
  write: 'changes',
  destructive: 'asks',
  exec: 'asks',
}

/** `words`: the name of a server, words to search for, or nothing. */
async function listTools(api: ListingsApi, words: string): Promise<string> {
  const { tools: all } = await api.call('tools.list', {})
  const granted = await grantedTools(api)
  if (all.length === 0) return 'No tools are known yet. Connect something first: connect filesystem'
  const show = (tools: readonly ToolListing[], narrower: string) =>
    showListing(tools, narrower, granted)
  if (words === '') return show(all, '/tools SERVER or /tools WORDS')
  const ofServer = all.filter(({ card }) => card.id.server === words.toLowerCase())
  if (ofServer.length > 0) return show(ofServer, '/tools WORDS')
  const { tools } = await api.call('tools.list', { search: words, limit: MOST_LINES })
  if (tools.length > 0) return show(tools, '/tools WORDS')
  return `No tool fits ${JSON.stringify(words)}. /tools lists them all.`
}

/** Names of tools that the owner allowed for good. A grant with limits (`spend`, `flow`) leaves the question. */
async function grantedTools(api: ListingsApi): Promise<ReadonlySet<string>> {
  const { grants } = await api.call('grants.list', {})
  const whole = grants.filter(({ grant, isVoid, usesLeft }) => {
    return grant.kind === 'tool' && !isVoid && usesLeft > 0
  })
  return new Set(whole.map(({ server, tool }) => `${server}.${tool}`))
}

function showListing(
  tools: readonly ToolListing[],
  narrower: string,
  granted: ReadonlySet<string>,
): string {
  const usable = tools.filter(({ blocked }) => blocked === undefined)
  const shown = usable.slice(0, MOST_LINES)
  const rows = shown.map((tool) => rowOf(tool, granted))
  const says = (word: string): boolean => rows.some(([, said]) => said === word)
  const more = usable.length - shown.length
  const blocked = tools.length - usable.length
  return [
    ...alignColumns(rows),
    ...(more > 0 ? [`and ${more} more: ${narrower} shows fewer`] : []),
    ...(blocked > 0
      ? [`${blocked} cannot be used now: in a shell, \`cordon tools list\` says why`]
      : []),
    ...(says('asks') ? [ASKS] : []),
    ...(says('allowed') ? [ALLOWED] : []),
  ].join('\n')
}

const ASKS = 'asks: it may delete, run or do anything, so you are asked before each call'

const ALLOWED =
  'allowed: you said that it may do so without being asked; in a shell, `cordon grants list` shows it'

function rowOf({ card }: ToolListing, granted: ReadonlySet<string>): readonly string[] {
  const { id, effect, summary } = card
  const word = EFFECT_WORDS[effect]
  return [
    seenLine(showTool(id), LONGEST_NAME),
    word === 'asks' && granted.has(showTool(id)) ? 'allowed' : word,
    seenLine(summary, LONGEST_SUMMARY),
  ]
}

async function listFlows(api: ListingsApi): Promise<string> {
  const { flows } = await api.call('flows.list', {})
  if (flows.length === 0)
    return 'No flow is saved yet. Ask for something, and once it worked type: /save NAME'
  const rows = flows.map(({ name, description, nodes }) => [
    name,
    seenLine(description || nodes.join(' >> '), LONGEST_NAME),
  ])
  const more = flows.length - MOST_LINES
  const hint = more > 0 ? [`and ${more} more: in a shell, \`cordon flow list\` shows all`] : []
  return [...alignColumns(rows.slice(0, MOST_LINES)), ...hint, '`run NAME` runs one.'].join('\n')
}

const DECISIONS = 10
const MOST_DECISIONS = 50

/** Undefined if the words are no number. */
async function listDecisions(api: ListingsApi, words: string): Promise<string | undefined> {
  if (!/^\d{0,4}$/.test(words)) return undefined
  const wanted = Math.min(words === '' ? DECISIONS : Math.max(1, Number(words)), MOST_DECISIONS)
  // Calls overlap, and each has a record of its beginning and one of its end.
  const { records } = await api.call('audit.search', { kind: 'call.*', limit: wanted * 4 })
  const lines = showDecisions(records, wanted)
  return lines.length > 0 ? lines.join('\n') : 'Nothing was called yet.'
}

/** `isHere`: typed at this machine's terminal. Another model reads other things, so it is changed nowhere else. */
async function answerProfiles(
  api: ListingsApi,
  words: string,
  isHere: boolean,
): Promise<string | undefined> {
  if (words === '') return showProfiles(await api.call('profiles.list', {})).join('\n')
  const [verb, name, model, ...more] = words.split(' ')
  if (verb !== 'use' || name === undefined || more.length > 0) return PROFILES_USAGE
  if (!isHere) return 'The model is changed in the terminal of the machine that I run on.'
  const used = await api.call('profiles.use', { name, ...(model !== undefined && { model }) })
  const reads = used.isLocal ? 'everything but secrets' : `what is ${used.clearance} or less`
  return `${used.name} (${seenLine(used.model, LONGEST_NAME)}) is the one that is asked. It may read ${reads}.`
}

const PROFILES_USAGE =
  'Type /profiles to see the models, or /profiles use NAME to change the one that is asked.'
