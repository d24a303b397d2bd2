/**
 * The resources of all servers as other programs see them: every one under a URI that leads to its own server and to no
 * other. A server that lists the URI of another takes nothing from it: both are then listed under names of their own.
 */
import type { Features, Listing } from '../ports/feature-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { isAbove } from '../labels/label.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { READ_RESOURCE } from '../text/feature-names.ts'
import { CLIENT_CEILING, type ClientSession } from './client-session.ts'
import {
  aliasOf,
  claimsBy,
  isAlwaysAliased,
  type Located,
  locatedBy,
  mayOverlap,
} from './alias-of.ts'
import { isObject } from './rpc-message.ts'
import { withoutIdentity } from './without-identity.ts'

export interface OfferedResources {
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  /** The servers to which a URI of a program could lead: one, unless it is unknown or ambiguous. */
  find(uri: string): readonly Located[]
  /** The server whose template is listed so. */
  findTemplate(uriTemplate: string): Located | undefined
  /** The URI for programs of something that this server named. */
  nameFor(located: Located): string
}

interface Claims {
  readonly server: ServerId
  readonly uris: ReadonlySet<string>
  readonly templates: readonly string[]
  readonly takes: readonly ((uri: string) => boolean)[]
}

/** Read anew after this long, or when a server says that its list changed. */
const FRESH_MS = 5000

interface Lists {
  readonly resources: readonly Listing[]
  readonly templates: readonly Listing[]
  /** By the scope of the clients that see them. */
  readonly offered: Map<string, OfferedResources>
}

export class ResourceOffer {
  readonly #features: Pick<Features, 'listings'>
  readonly #now: () => number
  #known: { readonly lists: Promise<Lists>; readonly readAt: number } | undefined

  constructor(features: Pick<Features, 'listings'>, now: () => number) {
    this.#features = features
    this.#now = now
  }

  forget(): void {
    this.#known = undefined
  }

  /** Of the servers in the scope of this client. The read is shared, so a client that hangs up does not end it. */
  async list({ session: { scope } }: Pick<Reader, 'session'>): Promise<OfferedResources> {
    if (!this.#known || this.#now() - this.#known.readAt > FRESH_MS) {
      const lists = this.#read()
      this.#known = { lists, readAt: this.#now() }
      lists.catch(() => this.forget())
    }
    const { resources, templates, offered } = await this.#known.lists
    const known = offered.get(scope.key)
    if (known) return known
    const isIn = ({ server }: Listing): boolean => scope.has({ server, name: READ_RESOURCE })
    const made = createOffered(resources.filter(isIn), templates.filter(isIn))
    offered.set(scope.key, made)
    return made
  }

  async #read(): Promise<Lists> {
    const { signal } = new AbortController()
    const [resources, templates] = await Promise.all([
      this.#features.listings('resources', signal),
      this.#features.listings('templates', signal),
    ])
    return {
      resources: resources.filter(mayBeListed),
      templates: templates.filter(mayBeListed),
      offered: new Map(),
    }
  }
}

/** A client that reads a list. */
export interface Reader {
  readonly session: Pick<ClientSession, 'scope'>
  readonly signal: AbortSignal
}

/** Of a server whose data a program may not have, not even names are told. */
export function mayBeListed({ label }: Listing): boolean {
  return !isAbove(label.level, CLIENT_CEILING)
}

export function createOffered(
  listed: readonly Listing[],
  templated: readonly Listing[],
): OfferedResources {
  const claims = claimsIn(listed, templated)
  const find = (uri: string): readonly Located[] => {
    const alias = locatedBy(uri)
    if (alias) return claims.some(({ server }) => server === alias.server) ? [alias] : []
    return claims.filter((one) => isClaimed(one, uri)).map(({ server }) => ({ server, uri }))
  }
  const nameFor = (located: Located): string => {
    const found = isAlwaysAliased(located.uri) ? [] : find(located.uri)
    const isOnly = found.length === 1 && found[0]?.server === located.server
    return isOnly ? located.uri : aliasOf(located)
  }
  const nameForTemplate = ({ server, uri }: Located): string => {
    const others = claims.filter((one) => one.server !== server)
    const takes = claimsBy(uri)
    const isShared = others.some(
      (one) => one.templates.some((other) => mayOverlap(uri, other)) || [...one.uris].some(takes),
    )
    return isShared || isAlwaysAliased(uri) ? aliasOf({ server, uri }) : uri
  }
  const templates = new Map(
    entriesOf(templated, 'uriTemplate').map(({ item, ...located }) => {
      const uriTemplate = nameForTemplate(located)
      return [uriTemplate, { located, item: { ...withoutIdentity(item), uriTemplate } }] as const
    }),
  )
  return {
    resources: entriesOf(listed, 'uri').map(({ item, ...located }) => {
      return { ...withoutIdentity(item), uri: nameFor(located) }
    }),
    templates: [...templates.values()].map(({ item }) => item),
    find,
    findTemplate: (uriTemplate) => templates.get(uriTemplate)?.located,
    nameFor,
  }
}

function claimsIn(listed: readonly Listing[], templated: readonly Listing[]): readonly Claims[] {
  const servers = new Set([...listed, ...templated].map(({ server }) => server))
  return [...servers].map((server) => {
    const own = ({ server: one }: { readonly server: ServerId }): boolean => one === server
    const templates = entriesOf(templated.filter(own), 'uriTemplate').map(({ uri }) => uri)
    const uris = new Set(entriesOf(listed.filter(own), 'uri').map(({ uri }) => uri))
    return { server, uris, templates, takes: templates.map(claimsBy) }
  })
}

function isClaimed({ uris, takes }: Claims, uri: string): boolean {
  return uris.has(uri) || takes.some((take) => take(uri))
}

function entriesOf(
  listings: readonly Listing[],
  key: string,
): readonly (Located & { readonly item: JsonObject })[] {
  return listings.flatMap(({ server, items }) =>
    items.flatMap((item) => {
      const uri = item[key]
      return typeof uri === 'string' ? [{ server, uri, item }] : []
    }),
  )
}

/** The same content with every URI of a resource as programs know it: links, embedded resources, contents. */
export function renameResources(value: Json, name: (uri: string) => string): Json {
  if (Array.isArray(value)) return value.map((one) => renameResources(one as Json, name))
  if (!isObject(value)) return value
  const { uri, resource, content, _meta } = value
  return {
    ...value,
    ...(typeof uri === 'string' && { uri: name(uri) }),
    ...(isObject(resource) && { resource: renameResources(resource, name) }),
    ...(content !== undefined && { content: renameResources(content, name) }),
    ...(isObject(_meta) && { _meta: withoutIdentity({ _meta })['_meta'] ?? {} }),
  }
}
