/** The part of the API that is about connecting: flows, the catalog, registries, tokens. */
import type { Input, Output, Route } from './api.ts'
import type { Catalog, Registries } from './catalog-port.ts'
import { CordonError } from './error.ts'
import type { Definitions, Servers } from './ports.ts'
import { OWNER } from './principal.ts'
import type { LoadedDefinition } from './server-definition.ts'
import { parseServerId, type ServerId } from './server-id.ts'
import type { AcceptCallback, Setup, Tokens } from './setup-port.ts'

export interface ConnectRooms {
  readonly setup: Setup
  readonly catalog: Catalog
  readonly registries: Registries
  readonly tokens: Tokens
  readonly acceptCallback: AcceptCallback
  readonly definitions: Definitions
  readonly servers: Servers
}

type ConnectRoute = Extract<Route, `${'connect' | 'catalog' | 'registry' | 'auth'}.${string}`>
type Handlers = {
  readonly [R in ConnectRoute]: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>>
}

export function connectHandlers(rooms: ConnectRooms): Handlers {
  const { setup, catalog, registries, tokens } = rooms
  return {
    'connect.start': async ({ name }, signal) => await setup.connect(OWNER, name, signal),
    'connect.view': async () => ({ flow: setup.view(OWNER) ?? null }),
    'connect.follow': async ({ flow, after }, signal) => await setup.follow(flow, after, signal),
    'connect.provide': async ({ flow, value }) => await setup.provide(flow, value),
    'connect.cancel': async () => ({ flow: (await setup.cancel(OWNER)) ?? null }),
    'connect.remove': async (input, signal) => await disconnect(rooms, input, signal),
    'catalog.list': async () => ({ services: catalog.services }),
    'catalog.show': async ({ service }) =>
      catalog.find(service) ?? unknownService(catalog, service),
    'registry.search': async ({ query, source, next }, signal) => {
      const options = { ...(source && { source }), ...(next && { next }) }
      return await registries.search(query, options, signal)
    },
    'registry.refresh': async () => {
      await registries.refresh()
      return {}
    },
    'auth.status': async () => ({ tokens: await tokens.status() }),
    'auth.refresh': async ({ name }, signal) => await tokens.refresh(name, signal),
    'auth.revoke': async ({ name }, signal) => {
      await tokens.revoke(name, signal)
      await rooms.servers.refresh(OWNER.id) // whoever used it stops
      return {}
    },
    'auth.callback': async ({ url }) => {
      await rooms.acceptCallback(url)
      return {}
    },
  }
}

/** Tokens are given back to their providers before the definition, and with it every trace of them, is gone. */
async function disconnect(
  { definitions, servers, tokens }: ConnectRooms,
  { server, keepSecrets }: Input<'connect.remove'>,
  signal: AbortSignal,
): Promise<Output<'connect.remove'>> {
  const id = parseServerId(server)
  const { servers: loaded } = await definitions.load(OWNER.id)
  // A provider that cannot be told must not keep a person from leaving.
  const revoke = (name: string): Promise<void> => tokens.revoke(name, signal).catch(() => undefined)
  if (!keepSecrets) await Promise.all(tokensOnlyOf(id, loaded).map(revoke))
  const removed = await definitions.remove(OWNER.id, id, { keepSecrets })
  await servers.refresh(OWNER.id)
  return removed
}

/** None of a server that is not the owner's to remove, and none that another one uses. */
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

/** What was typed is not repeated: it may be a token that was meant for another place. */
function unknownService(catalog: Catalog, name: string): never {
  const [closest] = catalog.suggest(name)
  throw new CordonError(
    'kernel.no-service',
    {
      exit: 2,
      hint: closest
        ? `Did you mean ${JSON.stringify(closest)}? Run \`cordon catalog list\` to see them all`
        : 'Run `cordon catalog list`, or search with `cordon registry search NAME`',
    },
    'Cannot find a service of this name in the catalog',
  )
}
