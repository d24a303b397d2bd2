/**
 * Routes about the features of a server besides tools: its resources, its prompts, its log level. A resource is read and a
 * prompt fetched with `mcp.call`, as the tools `~read-resource` and `~get-prompt` of the server: through the one door.
 */
import { z } from 'zod'
import type { Features, LogLevel } from '../ports/feature-port.ts'
import type { JsonObject } from '../text/json.ts'
import { LOG_LEVELS } from '../text/log-levels.ts'
import type { Definitions, Servers } from '../kernel/ports.ts'
import { server, serverHere, type ServerHere, workingFolder } from './fields.ts'
import { idHere } from './id-here.ts'
import type { Nothing, Routes } from './route.ts'

export interface FeatureContract {
  /** As the server lists them; untrusted. Starts the server. */
  'mcp.resources': {
    surface: 'any'
    input: ServerHere
    output: { readonly resources: readonly JsonObject[]; readonly templates: readonly JsonObject[] }
  }
  'mcp.prompts': {
    surface: 'any'
    input: ServerHere
    output: {
      readonly prompts: readonly JsonObject[]
      /** The server's own words about its use. */
      readonly instructions?: string
    }
  }
  /** The log messages that the server is to send, from this level on, until Cordon ends. */
  'mcp.log-level': {
    surface: 'any'
    input: ServerHere & { readonly level: LogLevel }
    output: Nothing
  }
}

export interface FeatureDeps {
  readonly definitions: Pick<Definitions, 'findInProject'>
  readonly servers: Pick<Servers, 'admit'>
  readonly features: Features
}

export function featureRoutes(deps: FeatureDeps): Routes<FeatureContract> {
  const { features } = deps
  return {
    'mcp.resources': {
      surface: 'any',
      input: serverHere,
      async handle(input, signal) {
        const id = await idHere(deps, input)
        const resources = await features.list(id, 'resources', signal)
        // A server with resources need not know the method for templates.
        const templates = await features.list(id, 'templates', signal).catch(() => [])
        return { resources, templates }
      },
    },
    'mcp.prompts': {
      surface: 'any',
      input: serverHere,
      async handle(input, signal) {
        const id = await idHere(deps, input)
        const prompts = await features.list(id, 'prompts', signal)
        const instructions = await features.instructions(id)
        return { prompts, ...(instructions !== undefined && { instructions }) }
      },
    },
    'mcp.log-level': {
      surface: 'any',
      input: z.strictObject({ server, workingFolder, level: z.enum(LOG_LEVELS) }),
      async handle({ level, ...input }, signal) {
        await features.setLogLevel(await idHere(deps, input), level, signal)
        return {}
      },
    },
  }
}
