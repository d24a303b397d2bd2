/** The route by which a message comes in, from a terminal or a page. `kernel/receive.ts` routes it. */
import { z } from 'zod'
import type { Principal } from '../kernel/principal.ts'
import {
  LONGEST_MESSAGE,
  type Message,
  type MessageHandlers,
  receive,
  type Reply,
} from '../kernel/receive.ts'
import type { ConnectionView, Setup } from '../ports/setup-port.ts'
import { workingFolder } from './fields.ts'
import type { Turns, TurnView } from '../ports/turn-port.ts'
import type { Nothing, Routes } from './route.ts'

export interface ChatContract {
  /** `connection` is the newest connection, as it was when the reply was given. */
  'chat.send': {
    surface: 'any'
    input: {
      readonly text: string
      /** Typed at a terminal, so that a question may come back; absent for piped input. */
      readonly isTyped?: boolean
      readonly workingFolder?: string
      /** Which of several chats of this surface, such as a terminal window: each has its own questions and results. */
      readonly chat?: string
    }
    output: {
      readonly reply: string
      readonly wasSecret: boolean
      readonly connection: ConnectionView | null
      /** Servers that were added; starting each by `mcp.start` tells how it went. */
      readonly starting?: readonly string[]
      /** The call failed because the vault is locked; the message can be sent again once it is open. */
      readonly needsVault?: boolean
      /** The servers whose words are in the reply. */
      readonly from?: readonly string[]
      /** A turn works on the message: `chat.follow` tells its events, and `reply` is empty. */
      readonly turn?: string
    }
  }
  /** Returns when there is an event after that number, or after 25 seconds. */
  'chat.follow': {
    surface: 'any'
    input: { readonly turn: string; readonly after: number }
    output: TurnView
  }
  /** No step of the turn begins afterwards. */
  'chat.cancel': {
    surface: 'any'
    input: { readonly turn: string }
    output: Nothing
  }
}

type SentMessage = ChatContract['chat.send']['input']

export interface ChatDeps {
  readonly principal: Principal
  readonly handlers: MessageHandlers
  readonly turns: Pick<Turns, 'follow' | 'cancel'>
  view: Setup['view']
}

export function chatRoutes(deps: ChatDeps): Routes<ChatContract> {
  const { principal, handlers, turns } = deps
  return {
    'chat.follow': {
      surface: 'any',
      input: z.strictObject({ turn: z.string().max(100), after: z.int().min(0) }),
      async handle({ turn, after }, signal) {
        const wait = AbortSignal.any([signal, AbortSignal.timeout(FOLLOW_MS)])
        return await turns.follow(turn, after, wait)
      },
    },
    'chat.cancel': {
      surface: 'any',
      input: z.strictObject({ turn: z.string().max(100) }),
      async handle({ turn }) {
        await turns.cancel(turn)
        return {}
      },
    },
    'chat.send': {
      surface: 'any',
      input: z.strictObject({
        text: z.string().min(1).max(LONGEST_MESSAGE),
        isTyped: z.boolean().exactOptional(),
        workingFolder,
        chat: z.string().min(1).max(100).exactOptional(),
      }),
      isForTerminal: ({ isTyped, workingFolder }) =>
        isTyped === true || workingFolder !== undefined,
      async handle(given, signal, from = 'terminal') {
        // A page puts the open questions by itself, with buttons: a call may wait for its answer.
        const isAsked = from === 'page'
        const message = { principal, channel: from, isAsked, ...saidIn(given) }
        const reply = await receive(handlers, message, signal)
        return answerWith(reply, deps.view() ?? null)
      },
    },
  }
}

type Said = Pick<Message, 'text' | 'isTyped' | 'folder' | 'chat'>

function saidIn({ workingFolder: folder, isTyped = false, ...said }: SentMessage): Said {
  return { ...said, isTyped, ...(folder !== undefined && { folder }) }
}

function answerWith(
  reply: Reply,
  connection: ConnectionView | null,
): ChatContract['chat.send']['output'] {
  const said = { wasSecret: false, connection }
  if (reply.kind === 'turn') return { ...said, reply: '', turn: reply.turn }
  if (reply.kind === 'unanswered') return { ...said, reply: UNANSWERED }
  if (reply.kind === 'locked') return { ...said, reply: reply.text, needsVault: true }
  const { text, wasSecret = false, starting, from } = reply
  return {
    reply: text,
    wasSecret,
    connection,
    ...(starting && { starting }),
    ...(from && { from }),
  }
}

const FOLLOW_MS = 25_000

const UNANSWERED =
  'I cannot answer that yet. Type `help` to see what I understand, for example: connect notion'
