/** Routes about connections: the conversation, disconnecting, and the tokens that it obtained. */
import { z } from 'zod'
import type { Vault } from '../kernel/ports.ts'
import type {
  AcceptCallback,
  ConnectionView,
  ConnectOptions,
  Setup,
  Tokens,
  TokenStatus,
} from '../ports/setup-port.ts'
import type { AccountNames } from './account-names.ts'
import { type Removal, removal, type RemovalInput } from './definitions.ts'
import { nothing, pasted, path, secretName, words } from './fields.ts'
import { type ForgetDeps, forgetServer } from './forget-server.ts'
import type { Nothing, Routes } from './route.ts'

export interface ConnectContract extends ConversationContract, AuthContract {}

interface ConversationContract {
  'connect.start': {
    surface: 'any'
    input: { readonly name: string } & ConnectOptions
    output: ConnectionView
  }
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
    input: {
      readonly connection: string
      readonly value: string
      /** How the vault is protected, if this credential is its first. */
      readonly protect?: 'keychain' | 'keyfile'
    }
    output: ConnectionView
  }
  'connect.cancel': {
    surface: 'any'
    input: Nothing
    output: { readonly connection: ConnectionView | null }
  }
  /** The same as `mcp.remove`. Open to the page: it takes rights away and starts nothing; the chat there has it, too. */
  'connect.remove': { surface: 'any'; input: RemovalInput; output: Removal }
}

/** With the account as the provider names it: untrusted. */
export interface ShownToken extends TokenStatus {
  readonly account?: string
}

interface AuthContract {
  'auth.status': {
    surface: 'any'
    input: Nothing
    output: { readonly tokens: readonly ShownToken[] }
  }
  'auth.refresh': { surface: 'any'; input: { readonly name: string }; output: TokenStatus }
  'auth.callback': { surface: 'any'; input: { readonly url: string }; output: Nothing }
  'auth.revoke': { input: { readonly name: string }; output: Nothing }
}

export interface ConnectDeps extends ForgetDeps {
  readonly accounts: AccountNames
  readonly setup: Setup
  readonly vault: Pick<Vault, 'status' | 'init'>
  readonly tokens: Tokens
  readonly acceptCallback: AcceptCallback
}

const connection = z.string().min(1).max(100)
const places = z.array(path).max(100).exactOptional()
const value = z.string().min(1).max(65_536)
const protect = z.enum(['keychain', 'keyfile']).exactOptional()
const variable = z.string().min(1).max(200)
const options = {
  account: z.string().min(1).max(100).exactOptional(),
  read: places,
  write: places,
  changes: z
    .strictObject({
      allowedDomains: z.array(z.string().min(1).max(255)).max(100).exactOptional(),
      memoryLimit: words,
      args: z.array(z.string().max(4096)).max(100).exactOptional(),
      env: z.record(variable, z.string().max(4096)).exactOptional(),
    })
    .exactOptional(),
  secrets: z.array(variable).max(50).exactOptional(),
  again: z.boolean().exactOptional(),
  asksVault: z.boolean().exactOptional(),
  allowScripts: z.boolean().exactOptional(),
}

export function connectRoutes(deps: ConnectDeps): Routes<ConnectContract> {
  return { ...conversationRoutes(deps), ...authRoutes(deps) }
}

function conversationRoutes(deps: ConnectDeps): Routes<ConversationContract> {
  const { setup } = deps
  return {
    'connect.start': {
      surface: 'any',
      input: z.strictObject({ name: pasted, ...options }),
      isForTerminal: ({ asksVault, allowScripts, changes, secrets }) =>
        asksVault === true ||
        allowScripts === true ||
        namesLaunch(changes) ||
        secrets !== undefined,
      handle: ({ name, ...options }, signal) => setup.connect(name, options, signal),
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
      input: z.strictObject({ connection, value, protect }),
      async handle({ connection, value, protect }) {
        const isFirst = protect && (await deps.vault.status()).state === 'absent'
        if (isFirst) await deps.vault.init(protect)
        return await setup.provide(connection, value)
      },
    },
    'connect.cancel': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ connection: (await setup.cancel()) ?? null }),
    },
    'connect.remove': {
      surface: 'any',
      input: removal,
      handle: (input, signal) => forgetServer(deps, input, signal),
    },
  }
}

/** Arguments and variables of the program, which a page may not name. */
function namesLaunch({ args, env }: ConnectOptions['changes'] = {}): boolean {
  return args !== undefined || env !== undefined
}

/** A token has the name of the server that it was got for. */
async function withAccount({ accounts }: ConnectDeps, token: TokenStatus): Promise<ShownToken> {
  const account = await accounts.find(token.name)
  return { ...token, ...(account !== undefined && { account }) }
}

function authRoutes(deps: ConnectDeps): Routes<AuthContract> {
  const { tokens, servers, acceptCallback } = deps
  return {
    'auth.status': {
      surface: 'any',
      input: nothing,
      handle: async () => ({
        tokens: await Promise.all((await tokens.status()).map((one) => withAccount(deps, one))),
      }),
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
