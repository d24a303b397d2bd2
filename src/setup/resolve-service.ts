/**
 * From a name or a pasted line to a service, or to a sentence with a way forward. A name that passes for a known one
 * without being it is refused before anything else is made of it.
 */
import type { Catalog, FoundService, Registries } from '../kernel/catalog-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { Definitions } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../kernel/server-definition.ts'
import type { CredentialNeed, Service } from '../kernel/service-facts.ts'
import { looksPasted } from './connect-command.ts'

interface ResolveRooms {
  readonly catalog: Catalog
  readonly definitions: Pick<Definitions, 'load'>
  readonly registries?: Pick<Registries, 'search'>
}

export interface Resolved {
  readonly service: Service
  readonly isOwn: boolean
}

/** What this home knows by that name, without asking anybody; undefined where it knows nothing. */
export async function resolveKnown(
  { catalog, definitions }: ResolveRooms,
  owner: PrincipalId,
  name: string,
): Promise<Resolved | undefined> {
  const imitated = catalog.imitates(name)
  const known = imitated ? undefined : catalog.find(name)
  if (known) return { service: supported(known), isOwn: false }
  const own = findOwn((await definitions.load(owner)).servers, name)
  if (own) return { service: serviceOf(own.definition), isOwn: true }
  if (imitated) throw imitation(name, imitated)
  if (!looksPasted(name)) return undefined
  const pasted = catalog.parsePasted(name)
  return pasted && { service: genuine(catalog, supported(pasted)), isOwn: false }
}

/** As `resolveKnown`, then in the registries. Throws where it is not found, with what there is instead. */
export async function resolveService(
  rooms: ResolveRooms,
  owner: PrincipalId,
  name: string,
  signal: AbortSignal,
): Promise<Resolved> {
  const known = await resolveKnown(rooms, owner, name)
  if (known) return known
  const found = await search(rooms, name, signal)
  const exact = found.find(({ service }) => registryName(service) === name.toLowerCase())
  if (exact) return { service: genuine(rooms.catalog, supported(exact.service)), isOwn: false }
  throw unknownService(name, { close: rooms.catalog.suggest(name), found })
}

async function search(
  { registries }: ResolveRooms,
  name: string,
  signal: AbortSignal,
): Promise<readonly FoundService[]> {
  if (!registries) return []
  try {
    return (await registries.search(name, {}, signal)).found
  } catch (error) {
    // A registry that is down must not be the end of it: the way forward below needs none.
    if (error instanceof CordonError) return []
    throw error
  }
}

/** A service from elsewhere under the name of a known one would be given that one's credentials. */
function genuine(catalog: Catalog, service: Service): Service {
  const namesake = catalog.find(service.slug) ?? catalog.imitates(service.slug)
  if (!namesake || service.origin === 'catalog') return service
  if (launchId(namesake) === launchId(service)) return namesake
  throw imitation(service.slug, namesake)
}

function launchId({ launch }: Service): string {
  if (launch.kind === 'npm') return launch.package
  return launch.kind === 'remote' ? launch.url : launch.kind
}

function registryName({ source }: Service): string | undefined {
  if (source.kind === 'official') return source.name.toLowerCase()
  return source.kind === 'smithery' ? source.qualifiedName.toLowerCase() : undefined
}

function supported(service: Service): Service {
  if (service.launch.kind !== 'unsupported') return service
  throw new CordonError(
    'setup.unsupported',
    { exit: 5, hint: service.launch.why },
    `Cannot connect ${JSON.stringify(service.title)}`,
  )
}

function findOwn(servers: readonly LoadedDefinition[], name: string): LoadedDefinition | undefined {
  const folded = name.toLowerCase()
  return servers.find(
    ({ definition: { id, name: title } }) => id === folded || title.toLowerCase() === folded,
  )
}

/** Only what a flow needs to ask and to test; it is launched as its definition says. */
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

function imitation(name: string, real: Service): CordonError {
  return new CordonError(
    'setup.imitation',
    { exit: 3, hint: `Say \`connect ${real.slug}\` if you mean ${real.title}` },
    `Cannot connect ${JSON.stringify(name)}: it passes for ${real.title} and is not it`,
  )
}

const WAY_FORWARD =
  'Is there an MCP server package for it on npm? If not, I can use a generic HTTP server.'

interface Instead {
  /** Known names that are close. */
  readonly close?: readonly string[]
  readonly found?: readonly FoundService[]
  /** Of a sentence, the word that the generic server could be for. */
  readonly pasted?: string
}

/** No dead end: what it could have been, and what to say for each way there is. */
export function unknownService(name: string, instead: Instead): CordonError {
  const { close = [], found = [], pasted = 'DOMAIN' } = instead
  const meant = close.length > 0 ? `; did you mean ${close.join(' or ')}?` : ''
  const names = found.flatMap(({ service }) => registryName(service) ?? []).slice(0, 5)
  const listed = names.length > 0 ? ` The registries have ${names.join(', ')}.` : ''
  const pick = names.length > 0 ? `, or \`connect ${names[0]}\` for one of those` : ''
  const how = `Say \`connect npx PACKAGE\` for a package, \`connect ${pasted}\` for the generic server${pick}`
  return new CordonError(
    'setup.unknown-service',
    { exit: 2, hint: `${WAY_FORWARD}${listed} ${how}` },
    `Cannot find a service called ${JSON.stringify(name)}${meant}`,
  )
}
