/**
 * What setup does with a chat message, before anything else sees it. A text that holds a known token is always taken,
 * whoever sent it and whether or not it was asked for: nothing after setup may ever read one.
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

/** How the catalog refuses a line with a token in it, also one of no known shape. */
const SECRET_IN_TEXT = 'catalog.secret-in-text'

interface TakeDeps extends SetupDeps {
  readonly deletions: PendingDeletions
  current(): RunningConnection | undefined
  /** Starts a flow, and returns what is said in answer. */
  open(resolved: Resolved, message: Message, signal: AbortSignal): Promise<readonly string[]>
}

export function createMessageHandler(deps: TakeDeps): MessageHandler {
  return async (message, signal) => {
    const token = deps.catalog.serviceOfToken(message.text)
    if (!isOwner(deps, message)) return await answerStranger(deps, message, token)
    const answer = await tellFlow(deps, message, token, signal)
    if (answer) return answer
    if (token) return await catchToken(deps, message, token)
    const command = parseConnectCommand(message.text)
    return command && (await answerCommand(deps, message, command, signal))
  }
}

function isOwner({ owner }: TakeDeps, { principal }: Message): boolean {
  return principal.id === owner.id
}

async function tellFlow(
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
    // It was for the flow, which could not even write it down. What may be a credential goes all the same.
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

/** Refused in one sentence that says nothing about what this home has. */
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

/** Not stored: that somebody pasted a token does not say what they want with it. */
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

/** Undefined where no message remains. */
async function erase({ deletions }: TakeDeps, { ref }: Message): Promise<boolean | undefined> {
  return ref && (await (await deletions.plan(ref)).carryOut())
}

/** Undefined where it turns out to be no command: "add milk", "connect the dots between these mails". */
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

/** What cannot be read as a pasted line was none; but a look-alike is worth a warning, and a secret goes no further. */
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
