/** The route by which a message comes in, from a terminal or a page. `kernel/receive.ts` routes it. */
import { z } from 'zod'
import type { Principal } from '../kernel/principal.ts'
import { receive, type MessageHandlers } from '../kernel/receive.ts'
import type { ConnectionView, Setup } from '../kernel/setup-port.ts'
import type { Routes } from './route.ts'

export interface ChatContract {
  /** `connection` is the newest connection, as it was when the reply was given. */
  'chat.send': {
    surface: 'any'
    input: {
      readonly text: string
      /** Typed at a terminal, so that a question may come back; absent for piped input. */
      readonly isTyped?: boolean
    }
    output: {
      readonly reply: string
      readonly wasSecret: boolean
      readonly connection: ConnectionView | null
    }
  }
}

export interface ChatDeps extends MessageHandlers {
  readonly principal: Principal
  view: Setup['view']
}

export function chatRoutes({ principal, view, ...takers }: ChatDeps): Routes<ChatContract> {
  return {
    'chat.send': {
      surface: 'any',
      input: z.strictObject({
        text: z.string().min(1).max(100_000),
        isTyped: z.boolean().exactOptional(),
      }),
      isForTerminal: ({ isTyped }) => isTyped === true,
      async handle({ text, isTyped = false }, signal) {
        const reply = await receive(takers, { principal, text, isTyped }, signal)
        const connection = view() ?? null
        if (reply.kind !== 'text') return { reply: UNANSWERED, wasSecret: false, connection }
        return { reply: reply.text, wasSecret: reply.wasSecret === true, connection }
      },
    },
  }
}

const UNANSWERED =
  'I cannot answer that yet. Type `help` to see what I understand, for example: connect notion'
