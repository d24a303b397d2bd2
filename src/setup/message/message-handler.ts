/**
 * Setup's handler of chat messages, which sees each message before any other. A text that holds a known token is
 * always taken, whoever sent it and whether or not it was asked for: no later handler may ever read a token.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Message, Reply, MessageHandler } from '../../kernel/receive.ts'
import type { Service } from '../../kernel/service-facts.ts'
import {
  type ConnectCommand,
  couldBeName,
  looksPasted,
  parseConnectCommand,
  pastedWordIn,
} from '../resolve/connect-command.ts'
import type { SaidMessage } from '../connection/connection.ts'
import { NOT_DELETED } from '../connection/connection-messages.ts'
import type { PendingDeletions } from './pending-deletions.ts'
import { unknownService } from '../resolve/resolve-errors.ts'
import {
  isListedName,
  type Resolved,
  resolveKnown,
  resolveService,
  unlessListed,
} from '../resolve/resolve-service.ts'
import type { RunningConnection } from '../connection/running-connection.ts'
import { inChat, OWNER_ONLY } from '../setup-errors.ts'
import type { SetupDeps } from '../setup-deps.ts'

const PRIVATE_ONLY =
  'Connecting a service needs a credential, and others read along here. Say it to me in a private chat.'

/** The catalog's code for a line that contains a token, also one of unknown shape. */
const SECRET_IN_TEXT = 'catalog.secret-in-text'

interface TakeDeps extends SetupDeps {
  readonly deletions: PendingDeletions
  current(): RunningConnection | undefined
  /** Starts a connection, and returns the messages in answer. */
  open(resolved: Resolved, message: Message, signal: AbortSignal): Promise<readonly string[]>
}

export function createMessageHandler(deps: TakeDeps): MessageHandler {
  return async (message, signal) => {
    const token = deps.catalog.serviceOfToken(message.text)
    if (!isOwner(deps, message)) return await answerStranger(deps, message, token)
    const answer = await tellConnection(deps, message, token, signal)
    if (answer) return answer
    if (token) return await catchToken(deps, message, token)
    const command = parseConnectCommand(message.text)
    return command && (await answerCommand(deps, message, command, signal))
  }
}

function isOwner({ owner }: TakeDeps, { principal }: Message): boolean {
  return principal.id === owner.id
}

async function tellConnection(
  deps: TakeDeps,
  message: Message,
  token: Service | undefined,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const said = { kind: 'said', message: saidOf(message, token) } as const
  try {
    const heard = await deps.current()?.hear(said, signal)
    return heard && reply(heard.said.join('\n'), heard.wasSecret)
  } catch (error) {
    // The connection could not store its state. The message may hold a credential, so it is deleted anyway.
    if (message.ref) await deps.outlet.remove(message.ref).catch(() => false)
    if (!(error instanceof CordonError)) throw error
    return reply(inChat(error), true)
  }
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
  const isMeant = command && (command.isCertain || deps.catalog.find(command.rest) !== undefined)
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

async function answerCommand(
  deps: TakeDeps,
  message: Message,
  command: ConnectCommand,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  try {
    const resolved = await resolveCommand(deps, command, signal)
    if (!resolved) return undefined
    if (message.isGroup) return reply(PRIVATE_ONLY)
    return reply((await deps.open(resolved, message, signal)).join('\n'))
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
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
