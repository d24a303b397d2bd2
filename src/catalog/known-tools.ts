/**
 * The catalog's overrides for the tools of a defined server. The catalog vouches only for servers that it names itself:
 * a remote server by its URL, a server that comes with Cordon by its word, or a package by its install, which is checked
 * at every start. Pure.
 */
import type { FormatRules } from '../text/content-format.ts'
import path from 'node:path'
import type { ServerDefinition, ToolOverride } from '../kernel/server-definition.ts'
import type { Service, ServiceLaunch } from '../ports/service-facts.ts'
import { KNOWN_SERVICES } from './known-services.ts'
import { shippedWord } from './shipped/shipped-word.ts'

export type KnownTools = Readonly<Record<string, ToolOverride>>

/** `packages` is the folder of installs. Undefined if the catalog does not vouch for the server. */
export function knownTools(definition: ServerDefinition, packages: string): KnownTools | undefined {
  return knownService(definition, packages)?.tools
}

/** The catalog's word on servers, for the room that runs them. */
export function createKnownFacts(packages: string): {
  readonly knownTools: (definition: ServerDefinition) => KnownTools | undefined
  readonly knownFormats: (definition: ServerDefinition) => FormatRules | undefined
} {
  return {
    knownTools: (definition) => knownTools(definition, packages),
    knownFormats: (definition) => knownService(definition, packages)?.formats,
  }
}

function knownService(definition: ServerDefinition, packages: string): Service | undefined {
  const { source } = definition
  if (source?.kind !== 'catalog') return undefined
  const service = KNOWN_SERVICES.find(({ slug }) => slug === source.name)
  return service && runs(definition, service.launch, packages) ? service : undefined
}

function runs(
  { url, command, args, package: origin }: ServerDefinition,
  launch: ServiceLaunch,
  packages: string,
): boolean {
  if (launch.kind === 'remote') return url === launch.url
  if (launch.kind !== 'npm' || command !== 'node') return false
  if (launch.isShipped && args[0] === shippedWord(launch.package)) return true
  const program = path.relative(packages, args[0] ?? '')
  const isInstalled = program.includes(`/node_modules/${launch.package}/`)
  return origin?.identifier === launch.package && isInstalled && !program.startsWith('..')
}
