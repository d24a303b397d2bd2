/** The route to the last protocol messages of a server, for its owner to look at. */
import { z } from 'zod'
import type { Definitions, Servers } from '../kernel/ports.ts'
import type { ProtocolMessage } from '../kernel/server-state.ts'
import { type ServerHere, server, workingFolder } from './fields.ts'
import { idHere } from './id-here.ts'
import type { Routes } from './route.ts'

export interface MessageContract {
  /** Those after the number `after`, the oldest first; kept in memory only. Secrets are masked; all of it is untrusted. */
  'mcp.messages': {
    surface: 'any'
    input: ServerHere & { readonly after?: number }
    output: { readonly messages: readonly ProtocolMessage[] }
  }
}

export interface MessageDeps {
  readonly definitions: Pick<Definitions, 'findInProject'>
  readonly servers: Pick<Servers, 'admit' | 'messages'>
}

export function messageRoutes(deps: MessageDeps): Routes<MessageContract> {
  return {
    'mcp.messages': {
      surface: 'any',
      input: z.strictObject({ server, workingFolder, after: z.int().min(0).exactOptional() }),
      async handle({ after = 0, ...input }) {
        const messages = await deps.servers.messages(await idHere(deps, input))
        return { messages: messages.filter(({ seq }) => seq > after) }
      },
    },
  }
}
