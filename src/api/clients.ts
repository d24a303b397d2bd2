/** Routes about the clients of the gateway. A page may see them; a token is made and shown at a terminal alone. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { ClientKind } from '../ports/client-limits.ts'
import type {
  ClientChange,
  Clients,
  ClientSettings,
  GatewayClient,
  MadeClient,
} from '../ports/client-port.ts'
import type { Contexts } from '../ports/context-port.ts'
import { closestNames } from '../text/closest-names.ts'
import { nothing } from './fields.ts'
import { type ImportContract, type ImportDeps, importRoutes } from './imports.ts'
import type { Nothing, Routes } from './route.ts'

export interface ClientContract extends ImportContract {
  'clients.list': {
    surface: 'any'
    input: Nothing
    output: { readonly clients: readonly GatewayClient[]; readonly url?: string }
  }
  'clients.add': {
    input: { readonly name: string } & ClientSettings
    output: MadeClient
  }
  'clients.edit': {
    input: { readonly name: string } & ClientChange
    output: GatewayClient
  }
  'clients.remove': { surface: 'any'; input: { readonly name: string }; output: Nothing }
}

export interface ClientDeps extends ImportDeps {
  readonly clients: Clients
  readonly contexts: Contexts
  readonly clientKinds: readonly ClientKind[]
  /** The gateway listens beside the page, on the same port. */
  readonly page: { readonly page: string } | undefined
}

const name = z.string().min(1).max(200)
const limit = z.int().positive().max(Number.MAX_SAFE_INTEGER).nullable().exactOptional()
const settings = {
  taint: z.enum(['ask', 'deny', 'warn']).exactOptional(),
  kind: z.string().max(100).exactOptional(),
  contexts: z.array(name).max(100).exactOptional(),
  search: z.enum(['auto', 'on', 'off']).exactOptional(),
  listTokens: z.int().min(1).max(100_000_000).exactOptional(),
}

export function clientRoutes(deps: ClientDeps): Routes<ClientContract> {
  const { clients, page } = deps
  const url = page && { url: `${page.page}/mcp` }
  return {
    ...importRoutes(deps),
    'clients.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ clients: await clients.list(), ...url }),
    },
    'clients.add': {
      surface: 'terminal',
      input: z.strictObject({ name, ...settings }),
      async handle({ taint = 'ask', ...client }) {
        await checkSettings(deps, client)
        return await clients.add({ ...client, taint })
      },
    },
    'clients.edit': {
      surface: 'terminal',
      input: z.strictObject({ name, ...settings, callsPerMinute: limit, bytesPerDay: limit }),
      async handle({ name: of, ...change }) {
        await checkSettings(deps, change)
        return await clients.edit(of, change)
      },
    },
    'clients.remove': {
      surface: 'any',
      input: z.strictObject({ name }),
      async handle({ name: of }) {
        await clients.remove(of)
        return {}
      },
    },
  }
}

/** A context or a program that is not known is a mistake of spelling: it would limit the client to nothing, or not at all. */
async function checkSettings(
  { contexts, clientKinds }: ClientDeps,
  { kind, contexts: wanted = [] }: ClientSettings,
): Promise<void> {
  const ids = clientKinds.map(({ id }) => id)
  if (kind && !ids.includes(kind)) throw noSuchKind(kind, ids)
  const known = (await contexts.list()).map((context) => context.name)
  const unknown = wanted.find((one) => !known.includes(one))
  if (unknown !== undefined) throw noSuchContext(unknown, known)
}

function noSuchKind(kind: string, known: readonly string[]): CordonError {
  return new CordonError(
    'gateway.no-kind',
    { exit: 2, hint: `Use one of ${known.join(', ')}, or leave it out` },
    `Cannot find a program of the kind ${JSON.stringify(kind)}`,
  )
}

export function noSuchContext(name: string, known: readonly string[]): CordonError {
  const [near] = closestNames(name, known)
  const all = 'Run `cordon context list` to see the contexts there are'
  return new CordonError(
    'gateway.no-context',
    { exit: 2, hint: near === undefined ? all : `Did you mean ${JSON.stringify(near)}? ${all}` },
    `Cannot find context ${JSON.stringify(name)}`,
  )
}
