/** Routes about connections: the conversation, disconnecting, and the tokens that it obtained. */
import { z } from 'zod'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Definitions, Servers } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type { LoadedDefinition } from '../kernel/server-definition.ts'
import { parseServerId, type ServerId } from '../kernel/server-id.ts'
import type {
  AcceptCallback,
  ConnectionView,
  Setup,
  Tokens,
  TokenStatus,
} from '../kernel/setup-port.ts'
import { nothing, pasted, secretName, server } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface ConnectContract extends ConversationContract, AuthContract {}

interface ConversationContract {
  'connect.start': { surface: 'any'; input: { readonly name: string }; output: ConnectionView }
  'connect.view': {
    surface: 'any'
    input: Nothing
    output: { readonly connection: ConnectionView | null }
  }
  'connect.follow': {
    surface: 'any'
    input: { readonly connection: string; readonly after: number }
    output: ConnectionView
  }
  'connect.provide': {
    surface: 'any'
    input: { readonly connection: string; readonly value: string }
    output: ConnectionView
  }
  'connect.cancel': {
    surface: 'any'
    input: Nothing
    output: { readonly connection: ConnectionView | null }
  }
  /** Removes a definition, as `mcp.remove` does, and revokes its tokens. */
  'connect.remove': {
    input: { readonly server: string; readonly keepSecrets: boolean }
    output: { readonly removedSecrets: readonly string[] }
  }
}

interface AuthContract {
  'auth.status': {
    surface: 'any'
    input: Nothing
    output: { readonly tokens: readonly TokenStatus[] }
  }
  'auth.refresh': { surface: 'any'; input: { readonly name: string }; output: TokenStatus }
  'auth.callback': { surface: 'any'; input: { readonly url: string }; output: Nothing }
  'auth.revoke': { input: { readonly name: string }; output: Nothing }
}

type Removal = ConversationContract['connect.remove']

export interface ConnectDeps {
  readonly setup: Setup
  readonly tokens: Tokens
  readonly acceptCallback: AcceptCallback
  readonly definitions: Pick<Definitions, 'load' | 'remove'>
  readonly servers: Pick<Servers, 'refresh'>
  readonly told: Pick<ToldLabels, 'forget'>
  readonly principal: Principal
}

const connection = z.string().min(1).max(100)
const value = z.string().min(1).max(65_536)

export function connectRoutes(deps: ConnectDeps): Routes<ConnectContract> {
  return { ...conversationRoutes(deps), ...authRoutes(deps) }
}

function conversationRoutes(deps: ConnectDeps): Routes<ConversationContract> {
  const { setup } = deps
  return {
    'connect.start': {
      surface: 'any',
      input: z.strictObject({ name: pasted }),
      handle: ({ name }, signal) => setup.connect(name, signal),
    },
    'connect.view': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ connection: setup.view() ?? null }),
    },
    'connect.follow': {
      surface: 'any',
      input: z.strictObject({ connection, after: z.int().min(0) }),
      handle: ({ connection, after }, signal) => setup.follow(connection, after, signal),
    },
    'connect.provide': {
      surface: 'any',
      input: z.strictObject({ connection, value }),
      handle: ({ connection, value }) => setup.provide(connection, value),
    },
    'connect.cancel': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ connection: (await setup.cancel()) ?? null }),
    },
    'connect.remove': {
      surface: 'terminal',
      input: z.strictObject({ server, keepSecrets: z.boolean() }),
      handle: (input, signal) => disconnect(deps, input, signal),
    },
  }
}

function authRoutes({ tokens, servers, acceptCallback }: ConnectDeps): Routes<AuthContract> {
  return {
    'auth.status': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ tokens: await tokens.status() }),
    },
    'auth.refresh': {
      surface: 'any',
      input: z.strictObject({ name: secretName }),
      handle: ({ name }, signal) => tokens.refresh(name, signal),
    },
    'auth.callback': {
      surface: 'any',
      input: z.strictObject({ url: z.string().min(1).max(8192) }),
      async handle({ url }) {
        await acceptCallback(url)
        return {}
      },
    },
    'auth.revoke': {
      surface: 'terminal',
      input: z.strictObject({ name: secretName }),
      async handle({ name }, signal) {
        await tokens.revoke(name, signal)
        await servers.refresh() // stops the servers that used the token
        return {}
      },
    },
  }
}

/** Revokes tokens before the definition is removed: afterwards nothing would name them. */
async function disconnect(
  { definitions, servers, tokens, told, principal }: ConnectDeps,
  { server, keepSecrets }: Removal['input'],
  signal: AbortSignal,
): Promise<Removal['output']> {
  const id = parseServerId(server)
  const { servers: loaded } = await definitions.load()
  // A provider that cannot be reached must not prevent disconnecting.
  const revoke = (name: string): Promise<void> => tokens.revoke(name, signal).catch(() => undefined)
  if (!keepSecrets) await Promise.all(tokensOnlyOf(id, loaded).map(revoke))
  const removed = await definitions.remove(id, { keepSecrets })
  await servers.refresh()
  await told.forget(id, principal.id)
  return removed
}

/** The tokens that no other server uses; empty if the definition is not the user's own, which cannot be removed. */
function tokensOnlyOf(id: ServerId, loaded: readonly LoadedDefinition[]): readonly string[] {
  const own = loaded.find(({ definition, scope }) => definition.id === id && scope === 'user')
  const others = loaded.filter((one) => one !== own)
  const used = new Set(others.flatMap(tokensOf))
  return own ? tokensOf(own).filter((name) => !used.has(name)) : []
}

function tokensOf({ definition }: LoadedDefinition): readonly string[] {
  const refs = Object.values(definition.auth).filter(({ scheme }) => scheme === 'oauth')
  return refs.map(({ name }) => name)
}
