/**
 * What a server's definition has to become for a flow, and how to take that back. What its owner wrote (label, name,
 * hosts) stays; only how it is launched and what it needs to know is brought up to date. Pure.
 */
import type { InstalledPackage } from '../kernel/catalog-port.ts'
import type { DefinitionChanges } from '../kernel/definition-change.ts'
import { CordonError } from '../kernel/error.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../kernel/server-definition.ts'
import type { DefinitionPlan, Flow } from './flow.ts'

export function planDefinition(
  flow: Flow,
  installed: InstalledPackage | undefined,
  existing: LoadedDefinition | undefined,
): DefinitionPlan {
  const launch = flow.isOwn ? {} : launchOf(flow, installed)
  if (!existing) {
    const changes = { ...aboutOf(flow), ...launch, ...valuesOf(flow) }
    return { write: 'add', changes, undo: { kind: 'remove' } }
  }
  const { definition, scope } = existing
  refuseAnother(flow, launch, definition)
  const wanted = { ...launch, ...hostsOf(flow, definition), ...valuesOf(flow), enabled: true }
  const changes = differences(wanted, definition)
  const isNeeded = Object.keys(changes).length > 0
  if (!isNeeded || scope !== 'user') return { write: 'none', changes: {}, undo: { kind: 'none' } }
  return { write: 'edit', changes, undo: { kind: 'edit', changes: before(changes, definition) } }
}

function aboutOf({ service, isOwn }: Flow): DefinitionChanges {
  const { title, about, label, domains, source, tools } = service
  return {
    name: title,
    description: about,
    label,
    allowedDomains: domains,
    enabled: true,
    ...(!isOwn && { source }),
    ...(Object.keys(tools).length > 0 && { tools }),
  }
}

function launchOf({ service }: Flow, installed: InstalledPackage | undefined): DefinitionChanges {
  const { launch } = service
  if (launch.kind === 'remote') return { transport: launch.transport, url: launch.url }
  if (!installed) return {}
  const args = launch.kind === 'npm' ? launch.args : []
  const { package: identifier, version, integrity } = installed
  const origin = { package: { kind: 'npm', identifier, version, integrity } } as const
  const program = { command: 'node', args: [installed.entry, ...args] }
  return launch.kind === 'npm' ? { ...program, ...origin } : program
}

/** The owner's list stands; only where there is none, the service's own is taken. */
function hostsOf({ service }: Flow, { allowedDomains }: ServerDefinition): DefinitionChanges {
  return allowedDomains.length > 0 ? {} : { allowedDomains: service.domains }
}

function valuesOf({ service, settings, found }: Flow): DefinitionChanges {
  const env = { ...service.env, ...settings, ...baseUrlOf(service) }
  return {
    ...(Object.keys(found.refs).length > 0 && { auth: found.refs }),
    ...(Object.keys(env).length > 0 && { env }),
  }
}

/** Where Cordon's own HTTP server is told which site it speaks to. */
function baseUrlOf({ launch }: Flow['service']): Readonly<Record<string, string>> {
  return launch.kind === 'http' ? { CORDON_HTTP_BASE_URL: launch.baseUrl } : {}
}

/** Another program under a name that is taken is another server, unless the catalog vouches for it. */
function refuseAnother(
  { service, isOwn }: Flow,
  launch: DefinitionChanges,
  { id, command, args, url }: ServerDefinition,
): void {
  if (isOwn || service.origin === 'catalog') return
  const isSame = isEqual(launch.url, url) && isEqual(launch.command, command)
  if (isSame && isEqual(launch.args ?? [], args)) return
  throw new CordonError(
    'setup.taken',
    { exit: 2, hint: `Run \`cordon disconnect ${id}\` first, if that one can go` },
    `Cannot connect ${JSON.stringify(service.title)}: there is another server called ${JSON.stringify(id)}`,
  )
}

function differences(wanted: DefinitionChanges, definition: ServerDefinition): DefinitionChanges {
  const present = presentValues(definition)
  const { auth = {}, env = {}, ...plain } = wanted
  const different = (entries: object, there: object): [string, unknown][] =>
    Object.entries(entries).filter(([key, value]) => !isEqual(value, Reflect.get(there, key)))
  const newAuth = Object.fromEntries(different(auth, present.auth))
  const newEnv = Object.fromEntries(different(env, present.env))
  return {
    ...Object.fromEntries(different(plain, present)),
    ...(Object.keys(newAuth).length > 0 && { auth: newAuth as Record<string, string> }),
    ...(Object.keys(newEnv).length > 0 && { env: newEnv as Record<string, string> }),
  }
}

/** The fields that are about to change, as they are now. */
function before(changes: DefinitionChanges, definition: ServerDefinition): DefinitionChanges {
  const present: object = presentValues(definition)
  const { auth = {}, env = {}, ...plain } = changes
  const pick = (keys: object, from: object): [string, unknown][] =>
    Object.entries(from).filter(([key, value]) => key in keys && value !== undefined)
  const oldAuth = Object.fromEntries(pick(auth, presentValues(definition).auth))
  const oldEnv = Object.fromEntries(pick(env, definition.env))
  return {
    ...Object.fromEntries(pick(plain, present)),
    ...(Object.keys(oldAuth).length > 0 && { auth: oldAuth as Record<string, string> }),
    ...(Object.keys(oldEnv).length > 0 && { env: oldEnv as Record<string, string> }),
  }
}

function presentValues(definition: ServerDefinition) {
  const { transport, command, args, url, enabled, allowedDomains, env } = definition
  const { package: from } = definition
  const auth = Object.entries(definition.auth).map(([key, ref]) => [key, showSecretRef(ref)])
  return {
    transport,
    command,
    args,
    url,
    enabled,
    allowedDomains,
    env,
    package: from,
    auth: Object.fromEntries(auth) as Record<string, string>,
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
