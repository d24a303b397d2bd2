/**
 * Routes that write servers and nodes as other programs spell them. Nothing is changed, and no secret is in an answer:
 * a credential is the name of a variable.
 */
import { z } from 'zod'
import type { FlowNodeView, Flows } from '../ports/flow-port.ts'
import type { Definitions, Servers } from '../kernel/ports.ts'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { server } from './fields.ts'
import { noSuchServer } from './no-such-server.ts'
import type { Routes } from './route.ts'

const FORMATS = ['claude', 'pflow', 'personal-agent'] as const
export type ExportFormat = (typeof FORMATS)[number]

export interface ExportContract {
  'mcp.export': {
    surface: 'any'
    input: { readonly format: ExportFormat; readonly servers?: readonly string[] }
    output: { readonly document: JsonObject; readonly notes: readonly string[] }
  }
  /** Every tool as an entry of pflow's registry, or those that fit the filter. */
  'registry.entries': {
    surface: 'any'
    input: { readonly filter?: string }
    output: { readonly entries: readonly JsonObject[] }
  }
}

export interface ExportDeps {
  readonly definitions: Pick<Definitions, 'load'>
  readonly flows: Pick<Flows, 'nodes'>
  readonly servers: Pick<Servers, 'tools'>
  exportServers(
    definitions: readonly ServerDefinition[],
    format: ExportFormat,
  ): { readonly document: JsonObject; readonly notes: readonly string[] }
}

export function exportRoutes(deps: ExportDeps): Routes<ExportContract> {
  return {
    'mcp.export': {
      surface: 'any',
      input: z.strictObject({
        format: z.enum(FORMATS),
        servers: z.array(server).max(1000).exactOptional(),
      }),
      async handle({ format, servers }) {
        const { servers: all } = await deps.definitions.load()
        const wanted = servers?.map((name) => {
          const found = all.find(({ definition }) => definition.id === name)
          if (!found) throw noSuchServer(name, all)
          return found
        })
        const chosen = (wanted ?? all).map(({ definition }) => definition)
        return deps.exportServers(chosen, format)
      },
    },
    'registry.entries': {
      surface: 'any',
      input: z.strictObject({ filter: z.string().min(1).max(500).exactOptional() }),
      async handle({ filter }) {
        const { servers: all } = await deps.definitions.load()
        const launches = launchesOf(
          deps,
          all.map(({ definition }) => definition),
        )
        const nodes = (await deps.flows.nodes(filter)).filter(({ kind }) => kind === 'mcp')
        const used = [...new Set(nodes.flatMap((node) => node.server ?? []))]
        const read = used.map(async (one) => [one, await hashesOf(deps, one)] as const)
        const hashes = new Map(await Promise.all(read))
        const entries = nodes.map((node) => {
          const { server = '', tool = '' } = node
          return entryOf(
            node,
            (launches[server] ?? {}) as JsonObject,
            hashes.get(server)?.get(tool),
          )
        })
        return { entries }
      },
    },
  }
}

async function hashesOf({ servers }: ExportDeps, id: string): Promise<ReadonlyMap<string, string>> {
  const tools = await servers.tools(parseServerId(id))
  return new Map(tools.map(({ name, hash }) => [name, hash]))
}

/** The field names are those of the specification of the registry. */
function entryOf(node: FlowNodeView, launch: JsonObject, hash: string | undefined): JsonObject {
  const params = node.params.map((one): [string, Json] => [one.name, one.default])
  return {
    node_id: node.id,
    type: 'mcp_wrapper',
    description: node.description,
    mcp_config: {
      server_id: node.server ?? '',
      tool_name: node.tool ?? '',
      ...launch,
      ...(hash !== undefined && { manifest_hash: `sha256:${hash}` }),
    },
    interface: {
      inputs: node.inputs.map(({ name }) => name),
      outputs: node.outputs.map(({ name }) => name),
      params: Object.fromEntries(params),
    },
    purity: node.purity,
  }
}

const LAUNCH = ['transport', 'command', 'args', 'url', 'version']

/** As it can be started elsewhere: a package by its line, not by the file that Cordon installed. */
function launchesOf(deps: ExportDeps, definitions: readonly ServerDefinition[]): JsonObject {
  const { document } = deps.exportServers(definitions, 'pflow')
  const { servers = {} } = document
  const entries = Object.entries(servers as JsonObject).map(([id, entry]): [string, Json] => {
    const parts = Object.entries(entry as JsonObject).filter(([key]) => LAUNCH.includes(key))
    return [id, Object.fromEntries(parts)]
  })
  return Object.fromEntries(entries)
}
