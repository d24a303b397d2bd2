/** The Telegram channel with a real grammY, a Bot API on loopback and notes in memory; the rest of the house is played. */
import { inspect } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import type { Output } from '../../src/api/contract.ts'
import type { Notice } from '../../src/api/notices.ts'
import { openTelegram, type Telegram } from '../../src/channels/telegram/open-telegram.ts'
import type { TelegramDeps, TelegramServing } from '../../src/channels/telegram/telegram-deps.ts'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { SharedNotes } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Message, MessageHandlers } from '../../src/kernel/receive.ts'
import type { TurnNews } from '../../src/ports/turn-port.ts'
import { Changes } from '../../src/text/changes.ts'
import { BOT_TOKEN, listenTelegram, TelegramServer } from '../fixtures/telegram-server.ts'

export const ADA = 4242
export const BOB = 5151

/** Notes that outlive a restart of the channel. */
export function createNotes(): SharedNotes & { readonly all: Map<string, string> } {
  const all = new Map<string, string>()
  return {
    all,
    async add(kind, id, content) {
      const isNew = !all.has(`${kind}/${id}`)
      if (isNew) all.set(`${kind}/${id}`, content)
      return isNew
    },
    async put(kind, id, content) {
      all.set(`${kind}/${id}`, content)
    },
    async list(kind) {
      const own = [...all].filter(([key]) => key.startsWith(`${kind}/`))
      return own.map(([key, content]) => ({ id: key.slice(kind.length + 1), content }))
    },
    async remove(kind, id) {
      all.delete(`${kind}/${id}`)
    },
  }
}

export interface TelegramHouse extends AsyncDisposable {
  readonly server: TelegramServer
  readonly apiRoot: string
  readonly vault: TelegramDeps['vault']
  readonly notes: ReturnType<typeof createNotes>
  readonly events: AuditEvent[]
  /** Every line of the log, with its errors and their causes. */
  readonly logged: string[]
  readonly heard: Message[]
  /** Answers in place of setup and commands. */
  handlers: MessageHandlers
  /** The open questions, and those that are closed. */
  readonly approvals: ShownApproval[]
  readonly answers: { readonly id: string; readonly allow: readonly string[] }[]
  readonly notices: Notice[]
  /** The events of each turn; a turn is over with its answer. */
  readonly turns: Map<string, TurnNews[]>
  /** To be announced after approvals or notices were changed. */
  readonly changes: Changes
  readonly clock: { skipMs: number }
  telegram: Telegram
  /** Stops it as `cordon down` does, and starts it again. */
  restart(): Promise<void>
  /** As after `kill -9`: from one moment on, the old process writes, sends and reads nothing. */
  kill(): Promise<void>
  kills: number
}

interface Options {
  /** Added and paired with the account ADA as the owner's. */
  readonly isPaired?: boolean
  /** Another house with the same bot, over a store that both share. */
  readonly beside?: Pick<TelegramHouse, 'server' | 'vault' | 'apiRoot'>
  readonly store?: { readonly notes: SharedNotes }
}

export async function openTelegramHouse(options: Options = {}): Promise<TelegramHouse> {
  const { isPaired = true, beside, store } = options
  const stack = new AsyncDisposableStack()
  const server = beside?.server ?? new TelegramServer()
  const apiRoot = beside?.apiRoot ?? stack.use(await listenTelegram(server)).apiRoot
  const notes = createNotes()
  const vault = beside?.vault ?? createVault()
  const clock = { skipMs: 0 }
  const note = (message: string, fields?: object): void =>
    void house.logged.push(inspect([message, fields], { depth: 10 }))
  const open = (process: Process): Promise<Telegram> =>
    openTelegram({
      owner: OWNER.id,
      vault,
      notes: notesOf(process, store?.notes ?? notes),
      audit: {
        append(event) {
          house.events.push(event)
          return { seq: 1, hash: '' }
        },
      },
      log: { info: note, warn: note, error: note },
      redactor: { redact: (text) => text.replaceAll('hunter2-secret', '[redacted]') },
      // A second of waiting is a few milliseconds here.
      place: {
        fetch: (...request) => alive(process, () => fetch(...request), request[1]?.signal),
        apiRoot,
        sleep: (ms, signal) => pause(ms / 100, undefined, { signal }),
      },
      now: () => Date.now() + clock.skipMs,
    })
  let running: Process = { isDead: false }
  const house: TelegramHouse = {
    server,
    apiRoot,
    vault,
    notes,
    clock,
    events: [],
    logged: [],
    heard: [],
    approvals: [],
    answers: [],
    notices: [],
    turns: new Map(),
    changes: new Changes(),
    handlers: {
      setup: async () => undefined,
      chat: async ({ text }) => ({ kind: 'text', text: `heard ${text}` }),
    },
    kills: 0,
    telegram: await open(running),
    async restart() {
      await house.telegram[Symbol.asyncDispose]()
      house.telegram = await open(running)
      await house.telegram.begin(servingOf(house))
    },
    async kill() {
      house.kills += 1
      running.isDead = true
      void house.telegram[Symbol.asyncDispose]()
      running = { isDead: false }
      house.telegram = await open(running)
      await house.telegram.begin(servingOf(house))
    },
    async [Symbol.asyncDispose]() {
      await house.telegram[Symbol.asyncDispose]()
      await stack.disposeAsync()
    },
  }
  await house.telegram.begin(servingOf(house))
  if (isPaired) await pairOwner(house)
  return house
}

interface Process {
  isDead: boolean
}

/**
 * Never settles once the process is dead, as nothing that it waited for reaches it. A request that is aborted is an
 * exception: grammY would keep this process alive with its timer of a minute.
 */
async function alive<T>(
  process: Process,
  work: () => Promise<T>,
  signal?: AbortSignal | null,
): Promise<T> {
  if (process.isDead) return await nothing(signal)
  const result = await work()
  return process.isDead ? await nothing(signal) : result
}

function nothing(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(new Error('The process is dead'))
    signal?.addEventListener('abort', () => reject(new Error('The process is dead')), {
      once: true,
    })
  })
}

function notesOf(process: Process, notes: SharedNotes): SharedNotes {
  return {
    add: (...note) => alive(process, () => notes.add(...note)),
    put: (...note) => alive(process, () => notes.put(...note)),
    list: (...kind) => alive(process, () => notes.list(...kind)),
    remove: (...note) => alive(process, () => notes.remove(...note)),
  }
}

async function pairOwner({ telegram, server }: TelegramHouse): Promise<void> {
  await telegram.add(BOT_TOKEN, new AbortController().signal)
  const { code } = await telegram.pair(undefined)
  server.write(ADA, code)
  await server.said(ADA, /This chat is yours now/)
}

/** The API as far as the channel uses it, over the lists of the house. */
function servingOf(house: TelegramHouse): TelegramServing {
  const handlers: MessageHandlers = {
    setup(message, signal) {
      house.heard.push(message)
      return house.handlers.setup(message, signal)
    },
    chat: (message, signal) => house.handlers.chat(message, signal),
    turns: async (message, signal) => await house.handlers.turns?.(message, signal),
  }
  const wait = async (after: number | undefined, signal?: AbortSignal): Promise<void> => {
    if (after !== undefined && house.changes.count <= after) await house.changes.next(signal, 500)
  }
  const routes: Record<string, (input: never, signal?: AbortSignal) => Promise<unknown>> = {
    'connect.view': async () => ({ connection: null }),
    'chat.follow': async ({ turn, after }: { turn: string; after: number }) => {
      const news = house.turns.get(turn) ?? []
      const events = news.map((event, at) => ({ ...event, number: at + 1 })).slice(after)
      return { turn, isOver: news.at(-1)?.kind === 'answer', events }
    },
    'chat.cancel': async ({ turn }: { turn: string }) => {
      house.turns.get(turn)?.push({ kind: 'answer', text: 'Stopped.', isQuestion: false })
      return {}
    },
    'notices.list': async ({ after }: { after?: number }, signal) => {
      await wait(after, signal)
      return { version: house.changes.count, notices: house.notices }
    },
    'approvals.list': async ({ after }: { after?: number }, signal) => {
      await wait(after, signal)
      const approvals = house.approvals.filter(({ state }) => state === 'pending')
      return { version: house.changes.count, approvals } satisfies Output<'approvals.list'>
    },
    'approvals.show': async ({ id }: { id: string }) => findApproval(house, id),
    'approvals.answer': async (answer: { id: string; allow: readonly string[] }) => {
      const shown = findApproval(house, answer.id)
      if (shown.state !== 'pending')
        throw new CordonError('approval.closed', { exit: 2, hint: '' }, '')
      house.answers.push(answer)
      const items = shown.items.map((item) => {
        return { ...item, isAllowed: answer.allow.includes(item.digest) }
      })
      house.approvals[house.approvals.indexOf(shown)] = { ...shown, state: 'answered', items }
      house.changes.announce()
      return {}
    },
  }
  const call = (route: string, input: unknown, signal?: AbortSignal) =>
    routes[route]?.(input as never, signal)
  return { handlers, api: { call } as unknown as TelegramServing['api'] }
}

function findApproval({ approvals }: TelegramHouse, id: string): ShownApproval {
  const found = approvals.find((one) => one.id === id)
  if (found) return found
  throw new CordonError('approval.unknown', { exit: 2, hint: '' }, 'no such question')
}

function createVault() {
  const secrets = new Map<string, Buffer>()
  return {
    status: async () => ({ state: 'unlocked', secrets: secrets.size, warnings: [] }) as const,
    async set(_owner: string, name: string, value: Uint8Array) {
      const replaced = secrets.has(name)
      secrets.set(name, Buffer.from(value))
      return { replaced }
    },
    remove: async (_owner: string, name: string) => ({ removed: secrets.delete(name) }),
    lease: async () => ({
      value: () => secrets.get('telegram_bot_token') ?? Buffer.alloc(0),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  }
}
