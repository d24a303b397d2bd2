/** Routes about the clients of the gateway. A page may see them; a token is made and shown at a terminal alone. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type {
  ClientChange,
  Clients,
  GatewayClient,
  MadeClient,
  Taint,
} from '../ports/client-port.ts'
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
    input: { readonly name: string; readonly taint?: Taint }
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
  /** The gateway listens beside the page, on the same port. */
  readonly page: { readonly page: string } | undefined
}

const name = z.string().min(1).max(200)
const limit = z.int().positive().max(Number.MAX_SAFE_INTEGER).nullable().exactOptional()
const taint = z.enum(['ask', 'deny', 'warn'])

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
      input: z.strictObject({
        name,
        taint: taint.exactOptional(),
      }),
      handle: ({ taint: wanted = 'ask', ...client }) => clients.add({ ...client, taint: wanted }),
    },
    'clients.edit': {
      surface: 'terminal',
      input: z.strictObject({
        name,
        taint: taint.exactOptional(),
        callsPerMinute: limit,
        bytesPerDay: limit,
      }),
      handle: ({ name: of, ...change }) => clients.edit(of, change),
    },
    'clients.remove': {
      surface: 'any',
      input: z.strictObject({ name }),
      async handle({ name: of }) {
        if (await clients.remove(of)) return {}
        throw noSuchClient(of)
      },
    },
  }
}

function noSuchClient(client: string): CordonError {
  return new CordonError(
    'gateway.no-client',
    { exit: 2, hint: 'Run `cordon client list` to see the clients there are' },
    `Cannot find client ${JSON.stringify(client)}`,
  )
}
