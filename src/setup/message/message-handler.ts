/**
 * Setup's handler of chat messages, which sees each message before any other. A text that holds a known token is
 * always taken, whoever sent it and whether or not it was asked for: no later handler may ever read a token.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Message, Reply, SetupHandler } from '../../kernel/receive.ts'
import { answeringChat } from './answering-chat.ts'
import type { Service } from '../../ports/service-facts.ts'
import {
  type ConnectCommand,
  couldBeName,
  looksPasted,
  parseBareLine,
  parseConnectCommand,
  pastedWordIn,
} from '../resolve/connect-command.ts'
import { isClientSettings } from '../../text/client-settings.ts'
import { isSecretValue } from '../../text/looks-secret.ts'
import { importSettings } from './import-settings.ts'
import { hasEnded, type SaidMessage } from '../connection/connection.ts'
import { NOT_DELETED } from '../connection/connection-messages.ts'
import type { PendingDeletions } from './pending-deletions.ts'
import { placeFor } from '../places/read-place.ts'
import { asAccount, splitAccount } from '../resolve/account.ts'
import { unknownService } from '../resolve/resolve-errors.ts'
import {
  isListedName,
  type Resolved,
  resolveKnown,
  resolveService,
  unlessListed,
} from '../resolve/resolve-service.ts'
import type { RunningConnection } from '../connection/running-connection.ts'
import { createSearchOffer } from '../connection/search-offer.ts'
import { createUnknownQuestion, NO_SITE, type UnknownQuestion } from './unknown-question.ts'
import { inChat, OWNER_ONLY } from '../setup-errors.ts'
import type { SetupDeps } from '../setup-deps.ts'

const PRIVATE_ONLY =
  'Connecting a service needs a credential, and others read along here. Say it to me in a private chat.'

const NOBODY_WAITS =
  "No sign-in waits for that address. Say 'connect NAME' to start again, and paste the whole address then."

/** The catalog's code for a line that contains a token, also one of unknown shape. */
const SECRET_IN_TEXT = 'catalog.secret-in-text'
/** The code of `unknownService()`, after which an answer is waited for. */
const UNKNOWN_SERVICE = 'setup.unknown-service'

interface TakeDeps extends SetupDeps {
  readonly deletions: PendingDeletions
  current(): RunningConnection | undefined
  /** Starts a connection, and returns the messages in answer. */
  open(resolved: Resolved, message: Message, signal: AbortSignal): Promise<readonly string[]>
}

interface CommandDeps extends TakeDeps {
  readonly unknown: UnknownQuestion
}

export function createMessageHandler(parts: TakeDeps): SetupHandler {
  const deps = { ...parts, unknown: createUnknownQuestion(() => parts.now()) }
  const offer = createSearchOffer(() => parts.now())
  return async (message, signal) => {
    const token = deps.catalog.serviceOfToken(message.text)
    if (!isOwner(deps, message)) return await answerStranger(deps, message, token)
    const search = offer.answer(currentIn(deps, message), message.text)
    if (search) return search
    const returned = await returnFromBrowser(deps, message, signal)
    if (returned) return returned
    const command = parseConnectCommand(message.text)
    const settings = command?.rest ?? message.text
    if (isClientSettings(settings)) return await takeSettings(deps, { ...message, text: settings })
    const answer = await tellConnection(deps, message, token, signal)
    if (answer) return answer
    if (token) return await catchToken(deps, message, token)
    return await answerMeant(deps, message, command, signal)
  }
}

/** The connection that this chat may speak to. */
function currentIn(deps: TakeDeps, message: Message): RunningConnection | undefined {
  const running = deps.current()
  return running && isElsewhere(running, message, undefined) ? undefined : running
}

async function answerMeant(
  deps: CommandDeps,
  message: Message,
  command: ConnectCommand | undefined,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const meant = command ?? deps.unknown.answer(message.text) ?? bareLine(deps, message)
  if (meant === 'no-site') return reply(NO_SITE)
  return meant && (await answerCommand(deps, message, meant, signal))
}

/** While a connection is under way, an address may be where its token is found. */
function bareLine(deps: TakeDeps, { text }: Message): ConnectCommand | undefined {
  const running = deps.current()
  return running && !hasEnded(running.connection) ? undefined : parseBareLine(text)
}

function isOwner({ owner }: TakeDeps, { principal }: Message): boolean {
  return principal.id === owner.id
}

/** A pasted callback URL holds an authorization code, so no later handler may read it, whoever waits for it. */
async function returnFromBrowser(
  deps: TakeDeps,
  message: Message,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const kind = deps.acquirer?.takeCallback(message.text) ?? 'other'
  if (kind === 'other') return undefined
  if (kind === 'unexpected') {
    const isDeleted = await erase(deps, message)
    return reply(isDeleted === false ? `${NOBODY_WAITS}\n${NOT_DELETED}` : NOBODY_WAITS, true)
  }
  const event = { kind: 'returned', ...(message.ref && { message: message.ref }) } as const
  const heard = await deps.current()?.hear(event, signal)
  return reply(heard?.said.join('\n') ?? '', true)
}

async function tellConnection(
  deps: TakeDeps,
  message: Message,
  token: Service | undefined,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const current = deps.current()
  if (current && isElsewhere(current, message, token)) return undefined
  const place = current && placeFor(deps, current.connection, message.text)
  const said = { ...saidOf(message, token), ...(place && { place }) }
  try {
    const heard = await current?.hear({ kind: 'said', message: said }, signal)
    return heard && reply(heard.said.join('\n'), heard.wasSecret)
  } catch (error) {
    // The connection could not store its state. The message may hold a credential, so it is deleted anyway.
    if (message.ref) await deps.outlet.remove(message.ref).catch(() => false)
    if (!(error instanceof CordonError)) throw error
    return reply(inChat(error), true)
  }
}

/**
 * Said in another chat than the one that the connection asks in, so it answers nothing. A credential is taken wherever it
 * is sent: no later handler may read it.
 */
function isElsewhere(
  { connection: { conversation } }: RunningConnection,
  message: Message,
  token: Service | undefined,
): boolean {
  if (conversation === undefined || conversation === answeringChat(message)) return false
  return !token && !isSecretValue(message.text)
}

function saidOf({ text, ref, isGroup = false }: Message, token: Service | undefined): SaidMessage {
  return {
    text,
    isGroup,
    ...(ref && { ref }),
    ...(token && { tokenOf: { slug: token.slug, title: token.title } }),
  }
}

/** Refuses in one sentence that reveals no fact about this home. */
async function answerStranger(
  deps: TakeDeps,
  message: Message,
  token: Service | undefined,
): Promise<Reply | undefined> {
  if (token) return await catchToken(deps, message, token)
  const command = parseConnectCommand(message.text)
  const named = command && splitAccount(command.rest).name
  const isKnown = named !== undefined && deps.catalog.find(named) !== undefined
  const isMeant = command?.isCertain === true || isKnown
  return isMeant ? reply(OWNER_ONLY) : undefined
}

/** Deletes the message without storing the token: pasting a token does not say what to do with it. */
async function catchToken(deps: TakeDeps, message: Message, token: Service): Promise<Reply> {
  const isDeleted = await erase(deps, message)
  const details = { deleted: isDeleted ?? null }
  const event = { principal: message.principal.id, subject: token.slug, details }
  deps.audit.append({ kind: 'setup.token-caught', ...event })
  const what = `That looks like a token of ${token.title}, so I kept it from everything else and did not store it.`
  const leak = message.isGroup ? ' Others read along here: make a new one.' : ''
  const isOffered = isOwner(deps, message) && token.launch.kind !== 'unsupported'
  const next = isOffered ? ` Say 'connect ${token.slug}' to use it, and send it then.` : ''
  const warning = isDeleted === false ? `\n${NOT_DELETED}` : ''
  return reply(`${what}${leak}${next}${warning}`, true)
}

/** The message is deleted first where it may be kept: it may hold tokens of any shape. */
async function takeSettings(deps: TakeDeps, message: Message): Promise<Reply> {
  const isDeleted = await erase(deps, message)
  if (message.isGroup) return reply(PRIVATE_ONLY, true)
  try {
    const given = await importSettings(deps, message)
    if (isDeleted !== false || given.kind !== 'text') return given
    return { ...given, text: `${given.text}\n${NOT_DELETED}` }
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return reply(inChat(error), true)
  }
}

async function answerCommand(
  deps: CommandDeps,
  message: Message,
  command: ConnectCommand,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  deps.unknown.drop()
  try {
    const resolved = await resolveCommand(deps, command, signal)
    if (!resolved) return undefined
    if (message.isGroup) return reply(PRIVATE_ONLY)
    return reply((await deps.open(resolved, message, signal)).join('\n'))
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    if (error.code === UNKNOWN_SERVICE) deps.unknown.asked(command.rest)
    if (error.code !== SECRET_IN_TEXT) return reply(inChat(error))
    const isDeleted = await erase(deps, message)
    return reply(isDeleted === false ? `${inChat(error)}\n${NOT_DELETED}` : inChat(error), true)
  }
}

/** Whether the message was deleted; undefined if the channel keeps none. */
async function erase({ deletions }: TakeDeps, { ref }: Message): Promise<boolean | undefined> {
  return ref && (await (await deletions.plan(ref)).carryOut())
}

/** Undefined if the text turns out to be no command: "add milk", "connect the dots between these mails". */
async function resolveCommand(
  deps: TakeDeps,
  { isCertain, rest }: ConnectCommand,
  signal: AbortSignal,
): Promise<Resolved | undefined> {
  const { name, account } = splitAccount(rest)
  if (account === undefined) return await resolveWords(deps, { isCertain, rest }, signal)
  const isSure = couldBeName(rest) || looksPasted(name)
  const resolved = isSure
    ? await resolveWords(deps, { isCertain, rest: name }, signal)
    : await resolveKnown(deps, name) // "connect these ideas as bullet points" is no command
  return resolved && asAccount(deps.catalog, resolved, account)
}

async function resolveWords(
  deps: TakeDeps,
  { isCertain, rest }: ConnectCommand,
  signal: AbortSignal,
): Promise<Resolved | undefined> {
  if (!isCertain && !isListedName(rest)) return await resolveGuess(deps, rest, signal)
  const word = pastedWordIn(rest)
  if (word !== undefined) {
    const known = await resolveKnown(deps, rest).catch(onlyWarnings)
    if (known) return known
    throw unknownService(rest, { pasted: word })
  }
  if (!couldBeName(rest) && !looksPasted(rest)) return undefined
  return await resolveService(deps, rest, signal)
}

async function resolveGuess(
  deps: TakeDeps,
  name: string,
  signal: AbortSignal,
): Promise<Resolved | undefined> {
  const known = await resolveKnown(deps, name).catch(onlyWarnings)
  return known && (await unlessListed(deps, name, known, signal))
}

/** Ignores a parse error: the text was no pasted line. Passes on the errors for a look-alike and for a secret. */
function onlyWarnings(error: unknown): undefined {
  const isNone =
    error instanceof CordonError &&
    !error.code.startsWith('setup.') &&
    error.code !== SECRET_IN_TEXT
  if (!isNone) throw error
  return undefined
}

function reply(text: string, wasSecret: boolean = false): Reply {
  return { kind: 'text', text, ...(wasSecret && { wasSecret }) }
}
