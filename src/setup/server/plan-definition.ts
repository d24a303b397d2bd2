/**
 * The change of a server's definition that a connection needs, and its undo. Fields that the owner wrote (label, name,
 * hosts) stay; only the launch and the values that it needs are updated. Pure.
 */
import type { InstalledPackage } from '../../ports/catalog-port.ts'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import { CordonError } from '../../kernel/error.ts'
import { showSecretRef } from '../../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../../kernel/server-definition.ts'
import { knownSlug } from '../resolve/account.ts'
import { imageLine } from '../../text/image-line.ts'
import { PYTHON_FLAGS } from '../../text/python-flags.ts'
import { showLimit } from '../../text/server-limits.ts'
import { type Connection, type DefinitionPlan, isClientKey } from '../connection/connection.ts'

const BASE_URL = 'CORDON_HTTP_BASE_URL'

export function planDefinition(
  connection: Connection,
  installed: InstalledPackage | undefined,
  existing: LoadedDefinition | undefined,
): DefinitionPlan {
  const launch = launchOf(connection, installed, existing?.definition)
  const rest = restOf(connection)
  if (!existing) {
    const changes = { ...aboutOf(connection), ...launch, ...valuesOf(connection), ...rest }
    return { write: 'add', changes, undo: { kind: 'remove' } }
  }
  const { definition } = existing
  refuseTaken(connection, existing)
  const wanted = {
    ...launch,
    ...hostsOf(connection, definition),
    ...valuesOf(connection),
    ...rest,
    enabled: true,
  }
  const changes = differences(wanted, definition)
  const isNeeded = Object.keys(changes).length > 0
  if (!isNeeded) return { write: 'none', changes: {}, undo: { kind: 'none' } }
  if (existing.scope !== 'user') throw notYours(connection, existing)
  return { write: 'edit', changes, undo: { kind: 'edit', changes: before(changes, definition) } }
}

function aboutOf(connection: Connection): DefinitionChanges {
  const { service, isOwn } = connection
  const { title, about, label, domains, source, memoryLimit } = service
  return {
    name: title,
    description: about,
    label,
    allowedDomains: withWanted(domains, connection),
    enabled: true,
    ...(!isOwn && { source }),
    ...(memoryLimit !== undefined && { memoryLimit }),
  }
}

/** Parts of the definition that the person wants as they are; hosts, arguments and settings are joined to others. */
function restOf({ changes = {} }: Connection): DefinitionChanges {
  const { allowedDomains: _hosts, args: _args, env: _env, ...rest } = changes
  return rest
}

function launchOf(
  connection: Connection,
  installed: InstalledPackage | undefined,
  existing: ServerDefinition | undefined,
): DefinitionChanges {
  const { launch } = connection.service
  if (connection.isOwn) return ownArgs(connection, existing)
  if (launch.kind === 'remote') return { transport: launch.transport, url: launch.url }
  if (!installed) return {}
  const args = argsOf(connection, installed, existing)
  const { package: identifier, version, integrity } = installed
  const pin = integrity === '' ? {} : { integrity }
  if (launch.kind === 'image') {
    const line = imageLine({ ...launch, image: `${nameOf(launch, identifier)}@${version}`, args })
    const from = { kind: 'docker', identifier, version, ...pin } as const
    return { command: 'docker', args: line, package: from }
  }
  const program =
    launch.kind === 'pypi'
      ? { command: 'python3', args: [PYTHON_FLAGS, installed.entry, ...args] }
      : { command: 'node', args: [installed.entry, ...args] }
  if (launch.kind !== 'npm' && launch.kind !== 'pypi') return program
  const scripts = installed.ranScripts ? ({ scripts: 'allowed' } as const) : {}
  return { ...program, package: { kind: launch.kind, identifier, version, ...pin, ...scripts } }
}

/** With the tag: the digest after it counts, and the tag says where to look for another one. */
function nameOf(
  { version, tag }: { readonly version: string; readonly tag?: string },
  identifier: string,
): string {
  const written = tag ?? (version.startsWith('sha256:') ? undefined : version)
  return written === undefined ? identifier : `${identifier}:${written}`
}

/** The database file of a server that takes one: as just named, else as the definition has it. */
function fileOf({ places }: Connection, existing: ServerDefinition | undefined): readonly string[] {
  return places?.file === undefined ? (existing?.args.slice(1) ?? []) : [places.file]
}

function ownArgs(
  { changes }: Connection,
  existing: ServerDefinition | undefined,
): DefinitionChanges {
  const wanted = changes?.args
  return wanted && existing ? { args: withArgs(existing.args, wanted) } : {}
}

/** The service's own arguments, those that the definition has besides, and those that the person wants. */
function argsOf(
  connection: Connection,
  { package: identifier }: InstalledPackage,
  existing: ServerDefinition | undefined,
): readonly string[] {
  const { service, changes = {} } = connection
  const own = 'args' in service.launch ? service.launch.args : []
  const isFile = service.credentials.some(({ place }) => place === 'file')
  const isSame = existing?.package?.identifier === identifier
  const added = isFile ? fileOf(connection, existing) : isSame ? addedArgs(existing, own) : []
  return withArgs([...own, ...added], changes.args ?? [])
}

/** Arguments that the definition has after those of the service: an earlier connection added them, or the owner. */
function addedArgs({ args }: ServerDefinition, own: readonly string[]): readonly string[] {
  const present = argsAfterProgram(args)
  return own.every((arg, at) => present[at] === arg) ? present.slice(own.length) : []
}

/** Behind Python's flags and file, the file of Node, or the digest of an image. */
function argsAfterProgram(args: readonly string[]): readonly string[] {
  const image = args[0] === 'run' ? args.findIndex((arg) => /@sha256:[0-9a-f]{64}$/.test(arg)) : -1
  if (image >= 0) return args.slice(image + 1)
  return args.slice(args[0] === PYTHON_FLAGS ? 2 : 1)
}

/** Adds arguments at the end, unless they are there already. */
function withArgs(args: readonly string[], wanted: readonly string[]): readonly string[] {
  const isThere = wanted.length > 0 && isEqual(args.slice(-wanted.length), wanted)
  return isThere ? args : [...args, ...wanted]
}

/** Keeps the owner's allow-list, or takes the service's if it is empty; adds the hosts of an answered address. */
function hostsOf(connection: Connection, { allowedDomains }: ServerDefinition): DefinitionChanges {
  const present = allowedDomains.length > 0 ? allowedDomains : connection.service.domains
  return { allowedDomains: withWanted(present, connection) }
}

function withWanted(present: readonly string[], { hosts = [], changes }: Connection): string[] {
  return [...new Set([...present, ...hosts, ...(changes?.allowedDomains ?? [])])]
}

function valuesOf({ service, settings, found, places }: Connection): DefinitionChanges {
  const env = { ...service.env, ...settings, ...baseUrlOf(service) }
  const auth = Object.fromEntries(Object.entries(found.refs).filter(([key]) => !isClientKey(key)))
  return {
    ...(places && { readPaths: places.read, writePaths: places.write }),
    ...(service.keepsData && { keepsData: true }),
    ...(service.startsBrowser && { startsBrowser: true }),
    ...(Object.keys(auth).length > 0 && { auth }),
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
function isSameServer(service: Connection['service'], definition: ServerDefinition): boolean {
  const { launch } = service
  const { transport, url, env, package: from } = definition
  const isKnown = isOfCatalog(service, definition)
  if (launch.kind === 'remote') return url === launch.url || (isKnown && url !== undefined)
  if (transport !== 'stdio') return false
  if (launch.kind === 'http') return env[BASE_URL] === launch.baseUrl
  return 'package' in launch && (isKnown || isFrom(launch, from))
}

function isFrom(
  { kind, package: name }: { readonly kind: string; readonly package: string },
  from: ServerDefinition['package'],
): boolean {
  return from?.kind === (kind === 'image' ? 'docker' : kind) && from.identifier === name
}

/** `google-drive as work` and `google as drive-work` would have one name; only the definition's source tells. */
function isOfCatalog(
  { origin, slug, source }: Connection['service'],
  definition: ServerDefinition,
): boolean {
  if (origin !== 'catalog') return false
  const name = knownSlug({ slug, source })
  return name === slug || (definition.source?.kind === 'catalog' && definition.source.name === name)
}

function taken(service: Connection['service'], { id }: ServerDefinition): CordonError {
  const { title, origin } = service
  const both =
    origin === 'catalog'
      ? `Run \`cordon connect ${knownSlug(service)} as NAME\` to have both`
      : 'Connect it with `as NAME` after it to have both'
  return new CordonError(
    'setup.taken',
    { exit: 2, hint: `${both}, or \`cordon disconnect ${id}\` first, if that one can go` },
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
  const { disabledReason } = definition
  return {
    ...Object.fromEntries(pick(plain, present)),
    ...(disabledReason !== undefined && { disabledReason }),
    ...(Object.keys(oldAuth).length > 0 && { auth: oldAuth as Record<string, string> }),
    ...(Object.keys(oldEnv).length > 0 && { env: oldEnv as Record<string, string> }),
  }
}

function presentValues(definition: ServerDefinition) {
  const { transport, command, args, url, enabled, allowedDomains, env } = definition
  const { package: from, sandbox, limits: { memoryBytes } = {} } = definition
  const { readPaths, writePaths, keepsData = false, startsBrowser = false } = sandbox
  const auth = Object.entries(definition.auth).map(([key, ref]) => [key, showSecretRef(ref)])
  return {
    transport,
    command,
    args,
    url,
    enabled,
    allowedDomains,
    env,
    readPaths,
    writePaths,
    keepsData,
    startsBrowser,
    package: from,
    memoryLimit:
      memoryBytes?.from === 'server' ? showLimit('memoryBytes', memoryBytes.value) : 'default',
    auth: Object.fromEntries(auth) as Record<string, string>,
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
