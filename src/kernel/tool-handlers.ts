/** The part of the API that is about single tools: what they are, and the owner's word about them. Calls none. */
import type { Input, Output, Route } from './api.ts'
import type { Catalog } from './catalog-port.ts'
import { CordonError } from './error.ts'
import type { Definitions, Servers } from './ports.ts'
import { OWNER } from './principal.ts'
import type { ToolOverride } from './server-definition.ts'
import { parseServerId } from './server-id.ts'
import { showTool, type ToolId } from './tool-id.ts'
import type { ToolBook, ToolView } from './tool-view.ts'

export interface ToolRooms {
  readonly toolBook: ToolBook
  readonly catalog: Catalog
  readonly definitions: Definitions
  readonly servers: Servers
}

type ToolRoute = Extract<Route, `tools.${string}`>
type Handlers = {
  readonly [R in ToolRoute]: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>>
}

const SEARCHED = 20

export function toolHandlers(rooms: ToolRooms): Handlers {
  const { toolBook, definitions, servers } = rooms
  return {
    'tools.list': async ({ server, search, limit = SEARCHED }) => {
      const only = server === undefined ? undefined : parseServerId(server)
      const flags = only === undefined ? [] : await toolBook.oddities(OWNER.id, only)
      if (search === undefined) return { tools: await toolBook.list(OWNER.id, only), flags }
      const found = await toolBook.search(OWNER.id, search, limit)
      const cards = only === undefined ? found : found.filter(({ id }) => id.server === only)
      return { tools: cards.map((card) => ({ card })), flags }
    },
    'tools.show': async ({ server, tool: name }) => {
      return await shown(rooms, { server: parseServerId(server), name })
    },
    'tools.set': async ({ server, tool: name, ...word }) => {
      const tool = { server: parseServerId(server), name }
      refuseUnknown(await known(rooms, tool), Object.keys(word.roles ?? {}))
      await definitions.edit(OWNER.id, tool.server, { ownTools: { [name]: word } })
      await servers.refresh(OWNER.id)
      return await shown(rooms, tool)
    },
  }
}

async function shown(rooms: ToolRooms, tool: ToolId): Promise<Output<'tools.show'>> {
  const view = await known(rooms, tool)
  const said = await saidByCatalog(rooms, tool)
  const roles = view.roles.map(({ name, role, source }) => {
    const byCatalog = said?.roles?.[name] === role
    const sayer = source === 'definition' ? (byCatalog ? 'catalog' : 'owner') : source
    return { name, role, source: sayer } as const
  })
  return { ...view, roles }
}

/** A definition holds the catalog's word and the owner's; what is not in the catalog is the owner's. */
async function saidByCatalog(rooms: ToolRooms, tool: ToolId): Promise<ToolOverride | undefined> {
  const { servers } = await rooms.definitions.load(OWNER.id)
  const source = servers.find(({ definition }) => definition.id === tool.server)?.definition.source
  if (source?.kind !== 'catalog') return undefined
  return rooms.catalog.services.find(({ slug }) => slug === source.name)?.tools[tool.name]
}

async function known({ toolBook }: ToolRooms, tool: ToolId): Promise<ToolView> {
  const view = await toolBook.view(OWNER.id, tool)
  if (view) return view
  throw new CordonError(
    'kernel.no-tool',
    { exit: 2, hint: 'Run `cordon tools list` to see the tools there are' },
    `Cannot find tool ${JSON.stringify(showTool(tool))}`,
  )
}

/** A role for an argument that is not there would look like protection and be none. */
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
