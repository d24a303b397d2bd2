/**
 * Memory in the chat: keeps facts, shows them, says where they come from, and forgets them. Everything goes through the
 * API; what is forgotten in numbers is asked about first.
 */
import type { Api } from '../api/contract.ts'
import type { FactView, KeptFactView } from '../api/memory.ts'
import { showCounts, showFact, showResultLine, showSource, showTurn } from '../api/show-memory.ts'
import { CordonError } from '../kernel/error.ts'
import { channelOf, conversationOf, type Message, type Reply } from '../kernel/receive.ts'
import { inChatWords } from '../text/in-chat-words.ts'
import { printable } from '../text/untrusted-text.ts'
import { type MemoryWish, readMemoryWords } from './memory-words.ts'

export type MemoryApi = Api<
  | 'memory.list'
  | 'memory.search'
  | 'memory.history'
  | 'memory.export'
  | 'memory.state'
  | 'memory.remember'
  | 'memory.edit'
  | 'memory.forget'
>

export interface ChatMemory {
  /** Undefined if the message is not about memory. */
  answer(message: Message): Promise<Reply | undefined>
}

export function createChatMemory(api: MemoryApi): ChatMemory {
  const shown = new ShownFacts()
  return {
    async answer(message) {
      const wish = readMemoryWords(message.text)
      if (!wish) return undefined
      try {
        const text = await fulfil({ api, shown, message }, wish)
        return text === undefined ? undefined : reply(text, { isUnrecorded: true })
      } catch (error) {
        if (!(error instanceof CordonError)) throw error
        // A credential is erased by the channel, and the history holds a note in its place.
        const isSecret = error.code === 'memory.credential'
        const kept = isSecret ? { wasSecret: true } : { isUnrecorded: true }
        return reply(inChatWords(`${error.message}. ${error.hint}.`), kept)
      }
    },
  }
}

function reply(text: string, more: { wasSecret?: boolean; isUnrecorded?: boolean }): Reply {
  return { kind: 'text', text: printable(text), ...more }
}

/** The facts that each chat was shown last: "why do you know that?" means these. */
class ShownFacts {
  readonly #numbers = new Map<string, readonly number[]>()

  of(message: Message): readonly number[] {
    return this.#numbers.get(conversationOf(message)) ?? []
  }

  note(message: Message, facts: readonly FactView[]): void {
    if (this.#numbers.size >= MOST_CHATS) this.#numbers.clear()
    this.#numbers.set(
      conversationOf(message),
      facts.map(({ number }) => number),
    )
  }
}

const MOST_CHATS = 1000

interface Work {
  readonly api: MemoryApi
  readonly shown: ShownFacts
  readonly message: Message
}

type Fulfil<Kind extends MemoryWish['kind']> = (
  work: Work,
  wish: Extract<MemoryWish, { kind: Kind }>,
) => Promise<string | undefined>

/** Undefined if the message is better left to the next handler. */
async function fulfil(work: Work, wish: MemoryWish): Promise<string | undefined> {
  return await (WAYS[wish.kind] as Fulfil<MemoryWish['kind']>)(work, wish)
}

const WAYS: { readonly [Kind in MemoryWish['kind']]: Fulfil<Kind> } = {
  keep: async (work, wish) =>
    tellKept(work, await work.api.call('memory.remember', told(work, wish))),
  edit: async (work, { number, text }) => {
    const input = { number, ...told(work, { text, isPasted: false }) }
    return tellKept(work, await work.api.call('memory.edit', input))
  },
  why: async (work, { number }) => await tellWhy(work, number),
  forget: async (work, { numbers }) => await forgetNumbers(work, numbers),
  'forget-about': async (work, { words }) => await forgetAbout(work, words),
  'forget-from': async (work, wish) => await forgetFrom(work, wish),
  list: async (work) =>
    tellFacts(work, (await work.api.call('memory.list', {})).facts, NOTHING_YET),
  about: async (work, { words }) => await tellAbout(work, words),
  ask: async (work, { subject }) => await answerAbout(work, subject),
  search: async (work, { words }) => {
    const { facts, turns } = await work.api.call('memory.search', { words })
    work.shown.note(work.message, facts)
    const found = [...facts.map(showFact), ...turns.slice(0, 10).map(showTurn)]
    return found.length > 0 ? found.join('\n') : `Nothing that I keep holds ${words}.`
  },
  results: async ({ api }) => {
    const { results } = await api.call('memory.list', {})
    return results.length > 0 ? results.map(showResultLine).join('\n') : 'No results are kept.'
  },
  history: async ({ api }) => {
    const { turns } = await api.call('memory.history', {})
    return turns.length > 0 ? turns.map(showTurn).join('\n') : 'There are no turns yet.'
  },
  state: async ({ api }) => (await api.call('memory.state', {})).text,
  export: async ({ api }) => (await api.call('memory.export', {})).text,
  help: async () => HELP,
}

const NOTHING_YET =
  'I keep no facts yet. Tell me one, for example: remember that my dentist is Dr. Adeyemi'

const HELP = [
  '/memory                    the facts that I keep',
  '/memory forget 3           forget one; edit 3 TEXT changes it, why 3 says where it is from',
  '/memory search WORDS       facts and earlier turns',
  '/memory history            the last turns; results: the last results of tools',
  '/memory export             everything, as plain text; state: what a model is told',
  'forget everything that came from notion    also: today, 2026-11-16, telegram',
].join('\n')

function told(
  { message }: Work,
  { text, isPasted }: { readonly text: string; readonly isPasted: boolean },
): { text: string; message: string; channel: string; isPasted?: boolean } {
  const channel = channelOf(message)
  return { text, message: message.text, channel, ...(isPasted && { isPasted }) }
}

function tellKept({ shown, message }: Work, { fact, replaced }: KeptFactView): string {
  shown.note(message, [fact])
  const others = fact.isOthers ? ' It looks pasted, so it is kept as the words of others.' : ''
  const before = replaced === undefined || replaced.text === fact.text ? '' : replaced.text
  const instead = before === '' ? '' : ` It replaces: ${before}.`
  return `I keep that as fact ${fact.number}: ${fact.text}.${instead}${others}`.replaceAll(
    '..',
    '.',
  )
}

function tellFacts(
  { shown, message }: Work,
  facts: readonly FactView[],
  otherwise: string,
): string {
  shown.note(message, facts)
  return facts.length > 0 ? facts.map(showFact).join('\n') : otherwise
}

async function tellAbout(work: Work, words: string): Promise<string> {
  if (words === '')
    return tellFacts(work, (await work.api.call('memory.list', {})).facts, NOTHING_YET)
  const { facts, turns } = await work.api.call('memory.search', { words })
  const earlier = turns.length > 0 ? ` Earlier turns speak of it: /memory search ${words}` : ''
  return tellFacts(work, facts, `I keep no fact about ${words}.${earlier}`)
}

/** Left to the next handler unless a fact has this subject: the question may be one for a tool. */
async function answerAbout(work: Work, subject: string): Promise<string | undefined> {
  const { facts } = await work.api.call('memory.search', { words: subject })
  const wanted = plain(subject)
  const found = facts.filter((fact) => plain(fact.subject ?? '') === wanted)
  return found.length > 0 ? tellFacts(work, found, '') : undefined
}

async function tellWhy(work: Work, number: number | undefined): Promise<string> {
  const { facts } = await work.api.call('memory.list', {})
  const wanted = number === undefined ? work.shown.of(work.message) : [number]
  const found = facts.filter((fact) => wanted.includes(fact.number))
  if (found.length > 0)
    return found.map((fact) => `${showFact(fact)}\n   ${showSource(fact)}`).join('\n')
  return number === undefined
    ? 'Say which fact you mean: `/memory` lists them, and `/memory why 3` says where one is from.'
    : `There is no fact ${number}. \`/memory\` lists them.`
}

async function forgetNumbers({ api }: Work, numbers: readonly number[]): Promise<string> {
  const { facts } = await api.call('memory.list', {})
  const known = facts.filter(({ number }) => numbers.includes(number))
  const missing = numbers.find((number) => !known.some((fact) => fact.number === number))
  if (missing !== undefined) return `There is no fact ${missing}. \`/memory\` lists them.`
  await api.call('memory.forget', { facts: numbers })
  return known.map(({ text }) => `Forgotten: ${text}`).join('\n')
}

async function forgetAbout(work: Work, words: string): Promise<string | undefined> {
  const { facts } = await work.api.call('memory.list', {})
  const wanted = plain(words)
  const found = facts.filter(({ text, subject = '' }) =>
    [plain(text), plain(subject)].includes(wanted),
  )
  const [only, ...more] = found
  if (!only) return undefined
  if (more.length === 0) return await forgetNumbers(work, [only.number])
  return `${tellFacts(work, found, '')}\nWhich one? Type: forget ${only.number}`
}

async function forgetFrom(
  { api }: Work,
  { from, isSure }: { readonly from: string; readonly isSure: boolean },
): Promise<string> {
  const counts = await api.call('memory.forget', { from, ...(!isSure && { dryRun: true }) })
  const where = from === 'everywhere' ? '' : ` from ${from}`
  if (counts.facts + counts.results + counts.turns === 0) return `I keep nothing${where}.`
  if (isSure) return `Forgotten: ${showCounts(counts)}.`
  return `This forgets ${showCounts(counts)}${where === '' ? '' : ` that came${where}`}, for good. Type: yes, forget everything${where}`
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
