/**
 * The change of a server's definition that a connection needs, and its undo. Fields that the owner wrote (label, name,
 * hosts) stay; only the launch and the values that it needs are updated. Pure.
 */
import type { InstalledPackage } from '../../kernel/catalog-port.ts'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import { CordonError } from '../../kernel/error.ts'
import { showSecretRef } from '../../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../../kernel/server-definition.ts'
import type { DefinitionPlan, Connection } from '../connection/connection.ts'

const BASE_URL = 'CORDON_HTTP_BASE_URL'

export function planDefinition(
  connection: Connection,
  installed: InstalledPackage | undefined,
  existing: LoadedDefinition | undefined,
): DefinitionPlan {
  const launch = connection.isOwn ? {} : launchOf(connection, installed)
  if (!existing) {
    const changes = { ...aboutOf(connection), ...launch, ...valuesOf(connection) }
    return { write: 'add', changes, undo: { kind: 'remove' } }
  }
  const { definition } = existing
  refuseTaken(connection, existing)
  const wanted = {
    ...launch,
    ...hostsOf(connection, definition),
    ...valuesOf(connection),
    enabled: true,
  }
  const changes = differences(wanted, definition)
  const isNeeded = Object.keys(changes).length > 0
  if (!isNeeded) return { write: 'none', changes: {}, undo: { kind: 'none' } }
  if (existing.scope !== 'user') throw notYours(connection, existing)
  return { write: 'edit', changes, undo: { kind: 'edit', changes: before(changes, definition) } }
}

function aboutOf({ service, isOwn, hosts = [] }: Connection): DefinitionChanges {
  const { title, about, label, domains, source, memoryLimit } = service
  return {
    name: title,
    description: about,
    label,
    allowedDomains: [...domains, ...hosts],
    enabled: true,
    ...(!isOwn && { source }),
    ...(memoryLimit !== undefined && { memoryLimit }),
  }
}

function launchOf(
  { service }: Connection,
  installed: InstalledPackage | undefined,
): DefinitionChanges {
  const { launch } = service
  if (launch.kind === 'remote') return { transport: launch.transport, url: launch.url }
  if (!installed) return {}
  const args = launch.kind === 'npm' ? launch.args : []
  const { package: identifier, version, integrity } = installed
  const origin = { package: { kind: 'npm', identifier, version, integrity } } as const
  const program = { command: 'node', args: [installed.entry, ...args] }
  return launch.kind === 'npm' ? { ...program, ...origin } : program
}

/** Keeps the owner's allow-list, or takes the service's if it is empty; adds the hosts of an answered address. */
function hostsOf(connection: Connection, { allowedDomains }: ServerDefinition): DefinitionChanges {
  const { service, hosts = [] } = connection
  const present = allowedDomains.length > 0 ? allowedDomains : service.domains
  return { allowedDomains: [...new Set([...present, ...hosts])] }
}

function valuesOf({ service, settings, found }: Connection): DefinitionChanges {
  const env = { ...service.env, ...settings, ...baseUrlOf(service) }
  return {
    ...(Object.keys(found.refs).length > 0 && { auth: found.refs }),
    ...(Object.keys(env).length > 0 && { env }),
  }
}

/** The variable that tells Cordon's own HTTP server which site to call. */
function baseUrlOf({ launch }: Connection['service']): Readonly<Record<string, string>> {
  return launch.kind === 'http' ? { [BASE_URL]: launch.baseUrl } : {}
}

/** Refuses, before the person is asked, a connection that is known to be impossible. */
export function refuseTaken(connection: Connection, existing: LoadedDefinition): void {
  const { service, isOwn } = connection
  const { definition, scope } = existing
  if (isOwn) return
  if (!isSameServer(service, definition)) throw taken(service, definition)
  if (scope !== 'user') throw notYours(connection, existing)
}

/** The catalog may update a program or an address; any other service must match the definition exactly. */
function isSameServer(
  { launch, origin }: Connection['service'],
  { transport, url, env, package: from }: ServerDefinition,
): boolean {
  const isKnown = origin === 'catalog'
  if (launch.kind === 'remote') return url === launch.url || (isKnown && url !== undefined)
  if (transport !== 'stdio') return false
  if (launch.kind === 'http') return env[BASE_URL] === launch.baseUrl
  return launch.kind === 'npm' && (isKnown || from?.identifier === launch.package)
}

function taken({ title }: Connection['service'], { id }: ServerDefinition): CordonError {
  return new CordonError(
    'setup.taken',
    { exit: 2, hint: `Run \`cordon disconnect ${id}\` first, if that one can go` },
    `Cannot connect ${JSON.stringify(title)}: there is another server called ${JSON.stringify(id)}`,
  )
}

function notYours({ service: { title } }: Connection, { path }: LoadedDefinition): CordonError {
  return new CordonError(
    'setup.taken',
    { exit: 2, hint: 'Store the secrets it names with `cordon vault set NAME` instead' },
    `Cannot connect ${JSON.stringify(title)}: its definition in ${JSON.stringify(path)} is not yours to change`,
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
