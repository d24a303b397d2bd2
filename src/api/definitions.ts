/**
 * Routes that write, remove, import or trust definitions of servers. Each can bring in a program or change its rights,
 * so a page can use none of them.
 */
import { z } from 'zod'
import type { DefinitionChanges } from '../kernel/definition-change.ts'
import type { ImportReport } from '../kernel/import-report.ts'
import type { ProjectChoice, ProjectView } from '../kernel/project-view.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { pasted, path, server, serverOnly, tool, words } from './fields.ts'
import { type ForgetDeps, forgetServer } from './forget-server.ts'
import type { Nothing, Routes } from './route.ts'
import { describeServer, type ServerDetails, type ServerDeps, showServer } from './servers.ts'

export interface DefinitionContract extends WritingContract, ForgettingContract, MovingContract {}

export interface RemovalInput {
  readonly server: string
  readonly keepSecrets: boolean
  /** Leave what the server kept between its starts. */
  readonly keepData?: boolean
}

export interface Removal {
  readonly removedSecrets: readonly string[]
  readonly removedData: boolean
}

interface WritingContract {
  'mcp.add': {
    input: { readonly server: string; readonly changes: DefinitionChanges }
    output: ServerDetails
  }
  'mcp.edit': {
    input: { readonly server: string; readonly changes: DefinitionChanges }
    output: ServerDetails
  }
  'mcp.remove': { input: RemovalInput; output: Removal }
  'mcp.unsandbox': { input: { readonly server: string }; output: ServerDetails }
  'mcp.sandbox': { input: { readonly server: string }; output: ServerDetails }
}

interface ForgettingContract {
  /** The owner's word that the server no longer has what it was told of others' data. */
  'mcp.forget': { input: { readonly server: string }; output: { readonly forgotten: boolean } }
}

interface MovingContract {
  'mcp.migrate': {
    input: {
      readonly path: string
      /** Pasted settings, read instead of the file. */
      readonly text?: string
      readonly dryRun: boolean
      readonly backup: boolean
      readonly replace: boolean
    }
    output: ImportReport
  }
  'mcp.undo': { input: { readonly importId?: string }; output: ImportReport }
  /** The servers that a project would bring along; changes nothing. */
  'mcp.project': { input: { readonly folder: string }; output: ProjectView }
  /** `seen` is the hash that `mcp.project` showed. */
  'mcp.trust': {
    input: { readonly folder: string } & ProjectChoice
    output: { readonly hash: string }
  }
  'mcp.untrust': { input: { readonly folder: string }; output: Nothing }
}

const texts = z.record(z.string().min(1).max(200), z.string().max(4096)).exactOptional()
const changes = z.strictObject({
  name: words,
  description: z.string().max(10_000).exactOptional(),
  label: words,
  allowedDomains: z.array(z.string().max(255)).max(1000).exactOptional(),
  transport: z.enum(['stdio', 'uds', 'pipe', 'sse', 'stream-http']).exactOptional(),
  command: path.exactOptional(),
  args: z.array(z.string().max(65_536)).max(1000).exactOptional(),
  url: path.exactOptional(),
  socketPath: path.exactOptional(),
  httpPath: path.exactOptional(),
  dangerouslyAllowHttp: z.boolean().exactOptional(),
  enabled: z.boolean().exactOptional(),
  start: z.enum(['eager', 'lazy']).exactOptional(),
  version: words,
  memoryLimit: words,
  idle: words,
  restarts: z.union([z.int().min(0).max(1000), z.literal('default')]).exactOptional(),
  callTimeout: words,
  readPaths: z.array(path).max(100).exactOptional(),
  writePaths: z.array(path).max(100).exactOptional(),
  auth: texts,
  seal: z.record(z.string().min(1).max(200), z.array(z.string().max(255)).max(100)).exactOptional(),
  unseal: z.array(z.string().min(1).max(200)).max(100).exactOptional(),
  env: texts,
  /** `*` stands for every tool that has no entry of its own. */
  ownTools: z.record(tool, z.strictObject({ enabled: z.boolean() })).exactOptional(),
})

export const removal: z.ZodType<RemovalInput> = z.strictObject({
  server,
  keepSecrets: z.boolean(),
  keepData: z.boolean().exactOptional(),
})

type DefinitionDeps = ServerDeps & ForgetDeps

export function definitionRoutes(deps: DefinitionDeps): Routes<DefinitionContract> {
  return { ...writingRoutes(deps), ...forgettingRoutes(deps), ...movingRoutes(deps) }
}

function writingRoutes(deps: DefinitionDeps): Routes<WritingContract> {
  const { definitions, servers } = deps
  return {
    'mcp.add': {
      surface: 'terminal',
      input: z.strictObject({ server, changes }),
      async handle({ server, changes }) {
        const added = await definitions.add(parseServerId(server), changes)
        await servers.refresh()
        return await describeServer(deps, added)
      },
    },
    'mcp.edit': {
      surface: 'terminal',
      input: z.strictObject({ server, changes }),
      async handle({ server, changes }) {
        const edited = await definitions.edit(parseServerId(server), changes)
        await servers.refresh()
        return await describeServer(deps, edited)
      },
    },
    'mcp.remove': {
      surface: 'terminal',
      input: removal,
      handle: (input, signal) => forgetServer(deps, input, signal),
    },
    'mcp.unsandbox': {
      surface: 'terminal',
      input: serverOnly,
      async handle({ server }) {
        await servers.dangerouslyUnsandbox(parseServerId(server))
        return await showServer(deps, server)
      },
    },
    'mcp.sandbox': {
      surface: 'terminal',
      input: serverOnly,
      async handle({ server }) {
        await servers.withdrawUnsandbox(parseServerId(server))
        return await showServer(deps, server)
      },
    },
  }
}

function forgettingRoutes(deps: ServerDeps): Routes<ForgettingContract> {
  return {
    'mcp.forget': {
      surface: 'terminal',
      input: serverOnly,
      async handle({ server }) {
        await showServer(deps, server) // throws if there is no such server
        return { forgotten: await deps.told.forget(parseServerId(server), deps.principal.id) }
      },
    },
  }
}

function movingRoutes({ definitions, servers }: ServerDeps): Routes<MovingContract> {
  const switches = { dryRun: z.boolean(), backup: z.boolean(), replace: z.boolean() }
  return {
    'mcp.migrate': {
      surface: 'terminal',
      input: z.strictObject({ path, text: pasted.exactOptional(), ...switches }),
      async handle(request) {
        const report = await definitions.migrate(request)
        if (!request.dryRun) await servers.refresh()
        return report
      },
    },
    'mcp.undo': {
      surface: 'terminal',
      input: z.strictObject({ importId: words }),
      async handle({ importId }) {
        const report = await definitions.undo(importId)
        await servers.refresh()
        return report
      },
    },
    'mcp.project': {
      surface: 'terminal',
      input: z.strictObject({ folder: path }),
      handle: ({ folder }) => definitions.showProject(folder),
    },
    'mcp.trust': {
      surface: 'terminal',
      input: z.strictObject({
        folder: path,
        seen: z.hex().length(64),
        instead: z.array(server).max(256),
      }),
      async handle({ folder, ...choice }) {
        const trusted = await definitions.trustProject(folder, choice)
        await servers.dismissProjects()
        return trusted
      },
    },
    'mcp.untrust': {
      surface: 'terminal',
      input: z.strictObject({ folder: path }),
      async handle({ folder }) {
        await definitions.untrustProject(folder)
        await servers.dismissProjects()
        return {}
      },
    },
  }
}
