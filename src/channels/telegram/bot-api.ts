/**
 * Telegram's Bot API through grammY. Waits as long as Telegram asks for (429), and tries again while it cannot be
 * reached. Every URL holds the bot's token, so no error that leaves this file repeats one.
 */
import { Api, GrammyError, HttpError, type RawApi } from 'grammy/web'
import type { InlineKeyboardButton, MessageEntity, Update, UserFromGetMe } from 'grammy/types'
import { CordonError } from '../../kernel/error.ts'
import { readAtMost } from '../../text/read-at-most.ts'
import { badToken, otherReader, refusedByTelegram, unreachable } from './telegram-errors.ts'

export interface BotPlace {
  readonly fetch: typeof globalThis.fetch
  /** Replaces `https://api.telegram.org`; only tests set it. */
  readonly apiRoot?: string
  /** Rejects when aborted. Must not keep the process alive. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Shown {
  readonly text: string
  readonly entities?: readonly MessageEntity[]
  readonly buttons?: readonly (readonly InlineKeyboardButton[])[]
  /** The message that this one answers. */
  readonly replyTo?: string
}

/** `me` and `updates` fail at once; every other method tries again until Telegram has answered or `signal` aborts. */
export interface BotApi {
  me(signal: AbortSignal): Promise<UserFromGetMe>
  /** Those from `offset` on; all earlier ones are forgotten by Telegram. Waits so many seconds for the first. */
  updates(
    offset: number | undefined,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<readonly Update[]>
  /** The id of the new message. */
  send(chat: string, shown: Shown, signal: AbortSignal): Promise<string>
  edit(chat: string, message: string, shown: Shown, signal: AbortSignal): Promise<void>
  /** True if the message is gone, also if it was gone before. */
  remove(chat: string, message: string, signal: AbortSignal): Promise<boolean>
  /** Ends the waiting sign of a pressed button, with a line for the person. */
  answerPress(id: string, text: string, signal: AbortSignal): Promise<void>
  showTyping(chat: string, signal: AbortSignal): Promise<void>
  /** The bytes of a file that was sent to the bot; undefined if there are more than `mostBytes`. */
  download(file: string, mostBytes: number, signal: AbortSignal): Promise<Buffer | undefined>
}

/** Updates of other kinds, such as edited messages, are not sent to this bot at all. */
const WANTED = ['message', 'callback_query'] as const
const REQUEST_SECONDS = 60
const LONGEST_PAUSE_MS = 60_000
/** Nothing that a server wrote makes Telegram fetch a page. */
const NO_PREVIEW = { is_disabled: true } as const

export function createBotApi(token: string, place: BotPlace): BotApi {
  const raw = rawApi(token, place)
  const { sleep } = place
  const insist = <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    tryAgain(work, sleep, signal)
  return {
    me: (signal) => raw.getMe(asTheirs(signal)).catch(rethrow),
    updates: (offset, timeout, signal) =>
      raw
        .getUpdates(
          { timeout, allowed_updates: WANTED, ...(offset !== undefined && { offset }) },
          asTheirs(signal),
        )
        .catch(rethrow),
    async send(chat, shown, signal) {
      const message = { chat_id: chat, link_preview_options: NO_PREVIEW, ...spell(shown) }
      const sent = await insist(() => raw.sendMessage(message, asTheirs(signal)), signal)
      return String(sent.message_id)
    },
    async edit(chat, message, shown, signal) {
      const place = { chat_id: chat, message_id: Number(message), link_preview_options: NO_PREVIEW }
      await insist(
        () => raw.editMessageText({ ...place, ...spell(shown) }, asTheirs(signal)),
        signal,
      ).catch(unless(/message is not modified/))
    },
    async remove(chat, message, signal) {
      const wanted = { chat_id: chat, message_id: Number(message) }
      const isGone = await insist(() => raw.deleteMessage(wanted, asTheirs(signal)), signal).catch(
        unless(/message to delete not found/),
      )
      return isGone !== false
    },
    async answerPress(id, text, signal) {
      const answer = { callback_query_id: id, text }
      await insist(() => raw.answerCallbackQuery(answer, asTheirs(signal)), signal).catch(
        unless(/query is too old|QUERY_ID_INVALID/),
      )
    },
    async showTyping(chat, signal) {
      await raw.sendChatAction({ chat_id: chat, action: 'typing' }, asTheirs(signal)).catch(rethrow)
    },
    async download(file, mostBytes, signal) {
      const found = await insist(() => raw.getFile({ file_id: file }, asTheirs(signal)), signal)
      return await fetchFile(place, { token, mostBytes, ...found }, signal)
    },
  }
}

function rawApi(token: string, { fetch, apiRoot }: BotPlace): RawApi {
  const { raw } = new Api(token, {
    fetch,
    timeoutSeconds: REQUEST_SECONDS,
    ...(apiRoot !== undefined && { apiRoot }),
  })
  return raw
}

const API_ROOT = 'https://api.telegram.org'
const FILE_PATH = /^(?!.*\.\.)[\w-][\w./ -]*$/

interface WantedFile {
  readonly token: string
  readonly mostBytes: number
  readonly file_path?: string
  readonly file_size?: number
}

/** The address holds the token, so the cause of a failure is dropped: it may repeat the address. */
async function fetchFile(
  { fetch, apiRoot = API_ROOT }: BotPlace,
  { token, mostBytes, file_path: path = '', file_size: size = 0 }: WantedFile,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (size > mostBytes) return undefined
  if (!FILE_PATH.test(path)) throw refusedByTelegram('the file has no path')
  try {
    const response = await fetch(`${apiRoot}/file/bot${token}/${encodeURI(path)}`, { signal })
    if (response.ok) return await readAtMost(response.body, mostBytes)
    await response.body?.cancel()
  } catch {
    signal.throwIfAborted()
  }
  throw unreachable('the file cannot be fetched')
}

/** The types of grammY name the signal and the fetch of packages that its web build does not use. */
function asTheirs(signal: AbortSignal): NonNullable<Parameters<RawApi['getMe']>[0]> {
  return signal as unknown as NonNullable<Parameters<RawApi['getMe']>[0]>
}

function spell({ text, entities, buttons, replyTo }: Shown) {
  return {
    text,
    ...(entities && entities.length > 0 && { entities: [...entities] }),
    ...(buttons && { reply_markup: { inline_keyboard: buttons.map((row) => [...row]) } }),
    ...(replyTo !== undefined && {
      reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true },
    }),
  }
}

async function tryAgain<T>(
  work: () => Promise<T>,
  sleep: BotPlace['sleep'],
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work()
    } catch (error) {
      const pauseMs = pauseAfter(error, failures)
      if (pauseMs === undefined || signal.aborted) throw explain(error)
      await sleep(pauseMs, signal)
    }
  }
}

/** Undefined if another try cannot help. */
function pauseAfter(error: unknown, failures: number): number | undefined {
  const asked = error instanceof GrammyError ? error.parameters.retry_after : undefined
  if (asked !== undefined) return asked * 1000
  return isOutage(error) ? pauseFor(failures) : undefined
}

/** From half a second up to a minute. */
export function pauseFor(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(failures, 10))
}

function isOutage(error: unknown): boolean {
  if (error instanceof GrammyError) return error.error_code >= 500
  return error instanceof HttpError
}

function rethrow(error: unknown): never {
  throw explain(error)
}

/** The seconds that Telegram asks to wait for, as part of the error. */
function explain(error: unknown): unknown {
  if (error instanceof HttpError) return unreachable(error.error)
  if (!(error instanceof GrammyError)) return error
  const { error_code: code, description, parameters } = error
  if (code === 401 || code === 404) return badToken()
  if (code === 409) return otherReader()
  if (code >= 500 || parameters.retry_after !== undefined) return unreachable(description)
  return refusedByTelegram(description)
}

/** A refusal that says that the wish is fulfilled already, or cannot be any more; `false` for any other refusal. */
function unless(fulfilled: RegExp) {
  return (error: unknown): false | undefined => {
    if (!(error instanceof CordonError) || error.code !== 'channels.refused') throw error
    return fulfilled.test(String(error.cause)) ? undefined : false
  }
}
