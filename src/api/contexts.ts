/** Routes about contexts: named sets of servers and tools for clients of the gateway. A page may see them; they are changed at a terminal. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { Definitions } from '../kernel/ports.ts'
import { splitTool } from '../kernel/tool-id.ts'
import type { Clients } from '../ports/client-port.ts'
import type { ContextChange, ContextCost, Contexts, ToolContext } from '../ports/context-port.ts'
import { noSuchContext } from './clients.ts'
import { nothing } from './fields.ts'
import { noSuchServer } from './no-such-server.ts'
import type { Nothing, Routes } from './route.ts'

/** A context with the clients that are limited to it. */
export type UsedContext = ToolContext & { readonly clients: readonly string[] }

export interface ContextContract {
  'contexts.list': {
    surface: 'any'
    input: Nothing
    output: { readonly contexts: readonly UsedContext[] }
  }
  'contexts.add': {
    input: { readonly name: string; readonly members: readonly string[] }
    output: ToolContext
  }
  'contexts.edit': { input: { readonly name: string } & ContextChange; output: ToolContext }
  'contexts.remove': { input: { readonly name: string }; output: Nothing }
  /** The estimated tokens of a list of tools; without contexts, of all tools. */
  'contexts.cost': {
    surface: 'any'
    input: { readonly contexts?: readonly string[] }
    output: ContextCost
  }
}

export interface ContextDeps {
  readonly contexts: Contexts
  readonly clients: Pick<Clients, 'list'>
  readonly definitions: Pick<Definitions, 'load'>
  readonly contextCost: (contexts: readonly string[] | undefined) => Promise<ContextCost>
}

const name = z.string().min(1).max(200)
const members = z.array(z.string().min(1).max(400)).max(1000)

export function contextRoutes(deps: ContextDeps): Routes<ContextContract> {
  const { contexts } = deps
  return {
    'contexts.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ contexts: await usedContexts(deps) }),
    },
    'contexts.add': {
      surface: 'terminal',
      input: z.strictObject({ name, members }),
      async handle({ name: of, members: wanted }) {
        await checkServers(deps, wanted)
        return await contexts.add(of, wanted)
      },
    },
    'contexts.edit': {
      surface: 'terminal',
      input: z.strictObject({
        name,
        add: members.exactOptional(),
        remove: members.exactOptional(),
      }),
      async handle({ name: of, ...change }) {
        await checkServers(deps, change.add ?? [])
        return await contexts.edit(of, change)
      },
    },
    'contexts.remove': {
      surface: 'terminal',
      input: z.strictObject({ name }),
      handle: ({ name: of }) => removeUnused(deps, of),
    },
    'contexts.cost': {
      surface: 'any',
      input: z.strictObject({ contexts: z.array(name).max(100).exactOptional() }),
      handle: ({ contexts: of }) => deps.contextCost(of),
    },
  }
}

async function usedContexts({ contexts, clients }: ContextDeps): Promise<readonly UsedContext[]> {
  const all = await clients.list()
  const usersOf = (context: string): readonly string[] =>
    all.filter((client) => client.contexts?.includes(context)).map((client) => client.name)
  return (await contexts.list()).map((context) => ({ ...context, clients: usersOf(context.name) }))
}

/** A client that is limited to a context which is gone could use nothing, and nobody would know why. */
async function removeUnused(deps: ContextDeps, context: string): Promise<Nothing> {
  const all = await usedContexts(deps)
  const [user] = all.find((one) => one.name === context)?.clients ?? []
  if (user !== undefined) throw inUse(context, user)
  if (await deps.contexts.remove(context)) return {}
  throw noSuchContext(
    context,
    all.map((one) => one.name),
  )
}

async function checkServers(
  { definitions }: ContextDeps,
  wanted: readonly string[],
): Promise<void> {
  const { servers } = await definitions.load()
  const known = new Set<string>(servers.map(({ definition }) => definition.id))
  const named = wanted.map((one) => splitTool(one)?.server ?? one)
  const unknown = named.find((server) => !known.has(server))
  if (unknown !== undefined) throw noSuchServer(unknown, servers)
}

function inUse(context: string, client: string): CordonError {
  const hint = `Run \`cordon context use --client ${client} …\` with other contexts, or with --all, first`
  return new CordonError(
    'gateway.context-used',
    { exit: 2, hint },
    `Cannot remove context ${JSON.stringify(context)}: ${client} is limited to it`,
  )
}
