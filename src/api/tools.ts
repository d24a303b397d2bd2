/** Routes about single tools: their views, and the owner's settings for them. Never calls a tool. */
import { z } from 'zod'
import type { Catalog } from '../ports/catalog-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { Definitions, Servers } from '../kernel/ports.ts'
import { SEMANTICS, type ToolOverride } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { ROLES } from '../kernel/tool-facts.ts'
import { showTool, type ToolId } from '../kernel/tool-id.ts'
import type { ToolIndex, ToolFlag, ToolListing, ToolView } from '../ports/tool-view.ts'
import { server, tool, words } from './fields.ts'
import type { Routes } from './route.ts'

/** A tool as shown to the owner, with the source of each argument's role. */
export interface ShownTool extends Omit<ToolView, 'roles'> {
  readonly roles: readonly (Omit<ToolView['roles'][number], 'source'> & {
    readonly source: 'catalog' | 'owner' | 'schema' | 'unknown'
  })[]
}

export interface ToolContract {
  /** All tools, the tools of one server, or the best matches of a search. */
  'tools.list': {
    surface: 'any'
    input: { readonly server?: string; readonly search?: string; readonly limit?: number }
    output: {
      readonly tools: readonly ToolListing[]
      /** Suspicious parts of the server's own instructions, if a server was named. */
      readonly flags: readonly ToolFlag[]
    }
  }
  'tools.show': {
    surface: 'any'
    input: { readonly server: string; readonly tool: string }
    output: ShownTool
  }
  /**
   * The owner's settings for a tool, written into the definition of its server. A page may only switch the tool on and
   * off: an effect or a role that is set here removes questions, and is set where the whole definition is read.
   */
  'tools.set': {
    surface: 'any'
    input: {
      readonly server: string
      readonly tool: string
    } & Pick<ToolOverride, 'enabled' | 'semantics' | 'roles'>
    output: ShownTool
  }
}

export interface ToolDeps {
  readonly toolIndex: ToolIndex
  readonly catalog: Catalog
  readonly definitions: Definitions
  readonly servers: Servers
}

const SEARCHED = 20

const listInput = z.strictObject({
  server: server.exactOptional(),
  search: words,
  limit: z.int().min(1).max(100).exactOptional(),
})
const setInput = z.strictObject({
  server,
  tool,
  enabled: z.boolean().exactOptional(),
  semantics: z.enum(SEMANTICS).exactOptional(),
  roles: z.record(z.string().min(1).max(200), z.enum(ROLES)).exactOptional(),
})

export function toolRoutes(deps: ToolDeps): Routes<ToolContract> {
  const { toolIndex, definitions, servers } = deps
  return {
    'tools.list': {
      surface: 'any',
      input: listInput,
      async handle({ server, search, limit = SEARCHED }) {
        const only = server === undefined ? undefined : parseServerId(server)
        const flags = only === undefined ? [] : await toolIndex.oddities(only)
        if (search === undefined) return { tools: await toolIndex.list(only), flags }
        const found = await toolIndex.search(search, limit)
        const cards = only === undefined ? found : found.filter(({ id }) => id.server === only)
        return { tools: cards.map((card) => ({ card })), flags }
      },
    },
    'tools.show': {
      surface: 'any',
      input: z.strictObject({ server, tool }),
      handle: async ({ server, tool: name }) =>
        await shown(deps, { server: parseServerId(server), name }),
    },
    'tools.set': {
      surface: 'any',
      input: setInput,
      isForTerminal: ({ semantics, roles }) => semantics !== undefined || roles !== undefined,
      async handle({ server, tool: name, ...word }) {
        const tool = { server: parseServerId(server), name }
        refuseUnknown(await known(deps, tool), Object.keys(word.roles ?? {}))
        await definitions.edit(tool.server, { ownTools: { [name]: word } })
        await servers.refresh()
        return await shown(deps, tool)
      },
    },
  }
}

async function shown(deps: ToolDeps, tool: ToolId): Promise<ShownTool> {
  const view = await known(deps, tool)
  const said = await saidByCatalog(deps, tool)
  const roles = view.roles.map(({ name, role, source }) => {
    const byCatalog = said?.roles?.[name] === role
    const sayer = source === 'definition' ? (byCatalog ? 'catalog' : 'owner') : source
    return { name, role, source: sayer } as const
  })
  return { ...view, roles }
}

/**
 * A definition holds settings of both the catalog and the owner; a setting that is not in the catalog is the owner's.
 */
async function saidByCatalog(deps: ToolDeps, tool: ToolId): Promise<ToolOverride | undefined> {
  const { servers } = await deps.definitions.load()
  const source = servers.find(({ definition }) => definition.id === tool.server)?.definition.source
  if (source?.kind !== 'catalog') return undefined
  return deps.catalog.services.find(({ slug }) => slug === source.name)?.tools[tool.name]
}

async function known({ toolIndex }: ToolDeps, tool: ToolId): Promise<ToolView> {
  const view = await toolIndex.view(tool)
  if (view) return view
  throw new CordonError(
    'kernel.no-tool',
    { exit: 2, hint: 'Run `cordon tools list` to see the tools there are' },
    `Cannot find tool ${JSON.stringify(showTool(tool))}`,
  )
}

/** A role for an argument that does not exist would look like protection without being any. */
function refuseUnknown({ roles, card }: ToolView, named: readonly string[]): void {
  const stranger = named.find((name) => !roles.some((role) => role.name === name))
  if (stranger === undefined) return
  const tool = showTool(card.id)
  throw new CordonError(
    'kernel.no-argument',
    { exit: 2, hint: `Run \`cordon tools show ${tool}\` to see its arguments` },
    `Cannot find argument ${JSON.stringify(stranger)} of tool ${JSON.stringify(tool)}`,
  )
}
