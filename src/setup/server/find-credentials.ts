/**
 * Which credentials of a service are there already, and under which name an answer goes into the vault. A secret is
 * found by what the server's own definition names, or by a name that is the service's alone: never because a name happens
 * to fit, since that would hand one service's token to another.
 */
import type { Definitions, Vault } from '../../kernel/ports.ts'
import { parseSecretRef, type SecretRef, showSecretRef } from '../../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../../kernel/server-definition.ts'
import type { CredentialNeed, Service } from '../../kernel/service-facts.ts'
import { tunnelsIn } from '../../text/tunnel.ts'
import type { Acquirer } from '../connection/acquirer.ts'
import { type Connection, type Found, needFor } from '../connection/connection.ts'
import { planDefinition, refuseTaken } from './plan-definition.ts'

interface CredentialDeps {
  readonly vault: Pick<Vault, 'has' | 'resolves'>
  readonly definitions: Pick<Definitions, 'load'>
  readonly acquirer?: Pick<Acquirer, 'wantsMore'>
}

export async function findCredentials(
  deps: CredentialDeps,
  connection: Connection,
): Promise<Found> {
  const { service } = connection
  const { servers } = await deps.definitions.load()
  const existing = servers.find(({ definition }) => definition.id === service.slug)
  const refs: Record<string, string> = {}
  const names: Record<string, string> = {}
  const missing: string[] = []
  for (const need of needsOf(connection)) {
    const { key, secret } = need
    const named = namedFor(existing?.definition, key)
    if (secret !== undefined) names[key] = nameFor(connection, secret, named)
    const ref = await firstPresent(deps, connection, candidates(connection, need, named))
    if (ref) refs[key] = showSecretRef(ref)
    const isEnough = ref
      ? isLed(need, existing) && !(await wantsMore(deps, ref))
      : isDispensable(need, existing)
    if (!isEnough) missing.push(key)
  }
  const found = { refs, names, missing }
  if (existing) refuseInVain(connection, found, existing)
  return found
}

/** Where the hosts of an address are not on its list any more, the address is asked for again. */
function isLed({ isAddress }: CredentialNeed, existing: LoadedDefinition | undefined): boolean {
  return isAddress !== true || tunnelsIn(existing?.definition.allowedDomains ?? []).length > 0
}

function namedFor(own: ServerDefinition | undefined, key: string): SecretRef | undefined {
  return own && Object.hasOwn(own.auth, key) ? own.auth[key] : undefined
}

/** Nothing is asked for what could not be written down in the end. */
function refuseInVain(connection: Connection, found: Found, existing: LoadedDefinition): void {
  refuseTaken(connection, existing)
  const answers = found.missing.flatMap((key) =>
    found.names[key] === undefined ? [] : [[key, `vault:${found.names[key]}`] as const],
  )
  const refs = { ...Object.fromEntries(answers), ...found.refs }
  if (connection.isOwn)
    planDefinition({ ...connection, found: { ...found, refs } }, undefined, existing)
}

/** A service asked for more than its token allows, so that there is something to sign in for again. */
async function wantsMore(
  { acquirer }: CredentialDeps,
  { scheme, name }: SecretRef,
): Promise<boolean> {
  return scheme === 'oauth' && acquirer !== undefined && (await acquirer.wantsMore(name))
}

/** Nobody has to give it, or it is a plain setting that the definition has. */
function isDispensable(
  { key, secret, required }: CredentialNeed,
  existing: LoadedDefinition | undefined,
): boolean {
  const isSet = secret === undefined && existing && Object.hasOwn(existing.definition.env, key)
  return !required || isSet === true
}

/** Those of the catalog, and a token that is only ever acquired, which nobody needs before the server says so. */
function needsOf({ service }: Connection): readonly CredentialNeed[] {
  const keys = new Set(service.credentials.map(({ key }) => key))
  const acquired = service.oauth.map(({ key }) => key).filter((key) => !keys.has(key))
  const extra = [...new Set(acquired)].map((key) => ({
    ...needFor(service, key),
    secret: `${service.slug}_token`,
    required: false,
  }))
  return [...service.credentials, ...extra]
}

function candidates(
  { service }: Connection,
  { key, secret }: CredentialNeed,
  named: SecretRef | undefined,
): readonly SecretRef[] {
  const isAcquired = service.oauth.some((method) => method.key === key)
  return [
    ...(named ? [named] : []),
    ...(secret !== undefined && isItsOwn(service, secret) ? [refTo('vault', secret)] : []),
    ...(isAcquired && service.origin === 'catalog' ? [refTo('oauth', service.slug)] : []),
  ]
}

/** The catalog's names are chosen; any other is safe only where it says whose it is: `npm/…/TOKEN`. */
function isItsOwn({ origin }: Service, secret: string): boolean {
  return origin === 'catalog' || secret.includes('/')
}

function refTo(scheme: 'vault' | 'oauth', name: string): SecretRef {
  return parseSecretRef(`${scheme}:${name}`)
}

async function firstPresent(
  { vault }: CredentialDeps,
  { principal }: Connection,
  refs: readonly SecretRef[],
): Promise<SecretRef | undefined> {
  for (const ref of refs) {
    // A locked vault knows its names too: what is in it need not be asked for again.
    const isThere =
      ref.scheme === 'vault'
        ? await vault.has(principal, ref.name)
        : await vault.resolves(principal, ref)
    if (isThere) return ref
  }
  return undefined
}

/** Where a service's secret goes: never over that of another one. */
function nameFor({ service }: Connection, secret: string, named: SecretRef | undefined): string {
  if (named?.scheme === 'vault') return named.name
  return isItsOwn(service, secret) ? secret : `${service.slug}.${secret}`
}
