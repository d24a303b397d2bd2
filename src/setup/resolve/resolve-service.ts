/**
 * Resolves a name or a pasted line to a service, or throws an error with a way forward. A look-alike of a known name
 * is never parsed as a pasted line and never looked up in a registry.
 */
import type { Catalog, FoundService, Registries } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Definitions } from '../../kernel/ports.ts'
import { showSecretRef } from '../../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../../kernel/server-definition.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import { accountIn } from './account.ts'
import { looksPasted } from './connect-command.ts'
import {
  ambiguous,
  imitation,
  moreThanName,
  tokenForName,
  unknownService,
  unsupported,
} from './resolve-errors.ts'

interface ResolveDeps {
  readonly catalog: Catalog
  readonly definitions: Pick<Definitions, 'load'>
  readonly registries?: Pick<Registries, 'search'>
  readRepository?(address: string, signal: AbortSignal): Promise<string | undefined>
}

export interface Resolved {
  readonly service: Service
  readonly isOwn: boolean
  readonly isPasted?: boolean
}

/** A name with this prefix is looked up in the registries only. */
const LISTED = /^registry:(\S+)$/i

export function isListedName(name: string): boolean {
  return LISTED.test(name)
}

/** Resolves from the catalog, the owner's definitions or a pasted line, without a network request; else undefined. */
export async function resolveKnown(
  { catalog, definitions }: ResolveDeps,
  name: string,
): Promise<Resolved | undefined> {
  const imitated = catalog.imitates(name)
  const known = imitated ? undefined : catalog.find(name)
  const own = findOwn((await definitions.load()).servers, name)
  if (known && !isRemoteNamesake(known, own)) return { service: supported(known), isOwn: false }
  if (own) return resolveOwn(catalog, own)
  if (imitated) throw catalog.serviceOfToken(name) ? tokenForName() : imitation(name, imitated)
  if (!looksPasted(name)) return undefined
  const pasted = catalog.parsePasted(name)
  return pasted && { service: genuine(catalog, supported(pasted)), isOwn: false, isPasted: true }
}

/** Like `resolveKnown`, then asks the registries. Throws if the name is not found, with suggestions. */
export async function resolveService(
  deps: ResolveDeps,
  name: string,
  signal: AbortSignal,
): Promise<Resolved> {
  const entry = await deps.readRepository?.(name, signal)
  if (entry !== undefined) return pastedEntry(deps.catalog, entry)
  const [, listedName] = LISTED.exec(name) ?? []
  const known = listedName === undefined ? await resolveKnown(deps, name) : undefined
  if (known) return await unlessListed(deps, name, known, signal)
  const wanted = listedName ?? name
  // A registry search, or an error that quotes the name, would reveal the token.
  if (deps.catalog.serviceOfToken(wanted)) throw tokenForName()
  const found = await search(deps, wanted, signal)
  const exact = listed(found, wanted)
  if (exact) return { service: genuine(deps.catalog, supported(exact)), isOwn: false }
  throw notFound(deps.catalog, wanted, found)
}

/** The error for a name that no service has; where words follow the name of a known service, it says so. */
function notFound(catalog: Catalog, wanted: string, found: readonly FoundService[]): CordonError {
  const names = found.flatMap(({ service }) => registryName(service) ?? [])
  const [first = '', ...others] = wanted.split(/\s+/)
  const named = others.length > 0 && names.length === 0 ? catalog.find(first) : undefined
  return named
    ? moreThanName(named)
    : unknownService(wanted, { close: catalog.suggest(wanted), listed: names })
}

/** A repository's server.json, which is as good as a pasted one. */
function pastedEntry(catalog: Catalog, entry: string): Resolved {
  const service = catalog.parsePasted(entry)
  if (!service) throw unknownService('that repository', {})
  return { service: genuine(catalog, supported(service)), isOwn: false, isPasted: true }
}

/** Refuses as ambiguous a bare address or package under whose exact name a registry lists another server. */
export async function unlessListed(
  deps: ResolveDeps,
  name: string,
  resolved: Resolved,
  signal: AbortSignal,
): Promise<Resolved> {
  const { service } = resolved
  const couldBeListed = service.origin === 'pasted' && !resolved.isOwn && BARE_WORD.test(name)
  if (!couldBeListed) return resolved
  const entry = listed(await search(deps, name, signal), name)
  if (!entry || launchId(entry) === launchId(service)) return resolved
  throw ambiguous(name, service)
}

/** No scheme, no command, no JSON: `io.github.acme/tracker`, `@acme/tracker`. */
const BARE_WORD = /^[^\s:{]+$/

function listed(found: readonly FoundService[], name: string): Service | undefined {
  return found.find(({ service }) => registryName(service) === name.toLowerCase())?.service
}

async function search(
  { registries }: ResolveDeps,
  name: string,
  signal: AbortSignal,
): Promise<readonly FoundService[]> {
  if (!registries) return []
  try {
    return (await registries.search(name, {}, signal)).found
  } catch (error) {
    // A registry that is down must not fail the search: the error with suggestions needs none.
    if (error instanceof CordonError) return []
    throw error
  }
}

/** A service under the name of a known one would be given the known service's credentials, so it is refused. */
function genuine(catalog: Catalog, service: Service): Service {
  const namesake = catalog.find(service.slug) ?? catalog.imitates(service.slug)
  if (!namesake || service.origin === 'catalog') return service
  if (launchId(namesake) === launchId(service)) return namesake
  throw imitation(service.slug, namesake)
}

function launchId({ launch }: Service): string {
  if (launch.kind === 'npm') return launch.package
  if (launch.kind === 'pypi') return `pypi:${launch.package}`
  if (launch.kind === 'image') return `image:${launch.package}`
  return launch.kind === 'remote' ? launch.url : launch.kind
}

function registryName({ source }: Service): string | undefined {
  if (source.kind === 'official') return source.name.toLowerCase()
  return source.kind === 'smithery' ? source.qualifiedName.toLowerCase() : undefined
}

function supported(service: Service): Service {
  if (service.launch.kind === 'unsupported') throw unsupported(service.title, service.launch.why)
  return service
}

/** An account of a known service is connected as that service; any other server as its definition says. */
function resolveOwn(catalog: Catalog, own: LoadedDefinition): Resolved {
  const account = accountIn(catalog, own)
  return account
    ? { service: supported(account), isOwn: false }
    : { service: serviceOf(own.definition), isOwn: true }
}

/** The owner's own remote server under the name of a known package, as another client's settings may bring it. */
function isRemoteNamesake({ slug, launch }: Service, own: LoadedDefinition | undefined): boolean {
  const { id, url } = own?.definition ?? {}
  return id === slug && url !== undefined && launch.kind === 'npm'
}

function findOwn(servers: readonly LoadedDefinition[], name: string): LoadedDefinition | undefined {
  const folded = name.toLowerCase()
  const byId = servers.find(({ definition }) => definition.id === folded)
  return byId ?? servers.find(({ definition }) => definition.name.toLowerCase() === folded)
}

/** Only the facts that a connection needs to ask and to test; the server is launched as its definition says. */
function serviceOf(definition: ServerDefinition): Service {
  const { id, name, description, label, url, transport, allowedDomains, env } = definition
  const isRemote = url !== undefined
  return {
    slug: id,
    title: name,
    about: description,
    aliases: [],
    origin: 'pasted',
    source: definition.source ?? { kind: 'manual' },
    label,
    launch: isRemote
      ? { kind: 'remote', url, transport: transport === 'sse' ? 'sse' : 'stream-http' }
      : { kind: 'unsupported', why: 'It is launched as its definition says.' },
    domains: allowedDomains,
    telemetryDomains: [],
    credentials: Object.keys(definition.auth).map((key) => needOf(definition, key)),
    oauth: isRemote ? [{ kind: 'mcp', key: 'bearer' }] : [],
    env,
    tools: definition.tools,
    notes: [],
  }
}

function needOf({ id, auth }: ServerDefinition, key: string): CredentialNeed {
  const ref = auth[key]
  const secret = ref?.scheme === 'vault' ? ref.name : `${id}_token`
  const where = ref && ref.scheme !== 'vault' ? `It is not at ${showSecretRef(ref)}` : undefined
  return { key, secret, title: 'token', prefixes: [], required: true, ...(where && { where }) }
}
