/**
 * Several accounts of one service. `gmail as work` is a server of its own, `gmail-work`: its own credentials, tools and
 * sandbox, and the catalog's knowledge of Gmail. Pure; never shares a credential between two accounts.
 */
import type { Catalog } from '../../ports/catalog-port.ts'
import type { LoadedDefinition } from '../../kernel/server-definition.ts'
import { isServerId, type ServerId } from '../../kernel/server-id.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import { accountTaken, noAccountName, notCopied, tokenForName } from './resolve-errors.ts'
import type { Resolved } from './resolve-service.ts'

interface Named {
  readonly name: string
  readonly account?: string
}

/** Read from the end of a text, which may be long. */
const LONGEST_TAIL = 80
const TAIL = /\sas\s+(?:(?:my|our|the)\s+)?(\S+)(?:\s+account)?$/i

/** `gmail as work`, `gmail as my work account`. */
export function splitAccount(text: string): Named {
  const name = text.trim()
  const start = Math.max(0, name.length - LONGEST_TAIL)
  const match = name.startsWith('{') ? null : TAIL.exec(name.slice(start))
  const [, account] = match ?? []
  if (!match || account === undefined) return { name }
  return { name: name.slice(0, start + match.index).trimEnd(), account }
}

const ACCOUNT = /^[a-z0-9][a-z0-9._@+-]{0,39}$/i

export function asAccount(
  catalog: Pick<Catalog, 'find' | 'serviceOfToken'>,
  { service, isOwn, ...rest }: Resolved,
  account: string,
): Resolved {
  if (catalog.serviceOfToken(account)) throw tokenForName()
  const slug = slugFor(service, account)
  if (slug === undefined) throw noAccountName(service)
  const other = catalog.find(slug)
  if (other) throw accountTaken(service, other)
  if (isOwn && service.launch.kind !== 'remote') throw notCopied(service)
  return { ...rest, service: renamed(service, slug, `${service.title} (${account})`), isOwn: false }
}

/** The account of a known service that this definition is; undefined if it is none, or runs something else. */
export function accountIn(
  { services }: Pick<Catalog, 'services'>,
  { definition, scope }: LoadedDefinition,
): Service | undefined {
  const { id, name, source } = definition
  if (source?.kind !== 'catalog' || !id.startsWith(`${source.name}-`)) return undefined
  const known = services.find(({ slug }) => slug === source.name)
  const isIt = known && scope === 'user' && isLaunched(known, definition)
  return isIt ? renamed(known, id, name) : undefined
}

/** The slug under which the catalog knows the service; its packages are shared by all accounts. */
export function knownSlug({ slug, source }: Pick<Service, 'slug' | 'source'>): string {
  return source.kind === 'catalog' ? source.name : slug
}

function isLaunched(
  { launch }: Service,
  { url, package: from }: LoadedDefinition['definition'],
): boolean {
  if (launch.kind === 'remote') return url === launch.url
  return launch.kind === 'npm' && from?.identifier === launch.package
}

function slugFor({ slug }: Service, account: string): ServerId | undefined {
  const folded = account.toLowerCase().replace(/[^a-z0-9_]+/g, '-')
  const id = `${slug}-${folded.replace(/[-_]+$/, '')}`
  return ACCOUNT.test(account) && isServerId(id) ? id : undefined
}

function renamed(service: Service, slug: ServerId, title: string): Service {
  const credentials = service.credentials.map((need) => ownSecret(need, slug))
  return { ...service, slug, title, aliases: [], credentials }
}

/** Stored under the account's own name, so that no other account finds it. */
function ownSecret(need: CredentialNeed, slug: ServerId): CredentialNeed {
  if (need.secret === undefined) return need
  return { ...need, secret: `${slug}/${need.key.replace(/^header:/, '')}` }
}
