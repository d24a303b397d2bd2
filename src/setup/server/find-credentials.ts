/**
 * Finds the existing credentials of a service, and the vault names for answers. A secret is found by the reference in
 * the server's own definition, or by a name that belongs to this service alone; never because a name happens to fit,
 * since that would hand one service's token to another.
 */
import type { Definitions, Vault } from '../../kernel/ports.ts'
import { parseSecretRef, type SecretRef, showSecretRef } from '../../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../../kernel/server-definition.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
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
    if (await isMissing(deps, connection, need, { existing, ref })) missing.push(key)
  }
  const found = { refs, names, missing }
  if (existing) refuseInVain(connection, found, existing)
  return found
}

/** Given with the command, or in the definition already. A file counts if this very program was given one. */
function hasPlaces(
  { places, chosen, service: { launch, credentials } }: Connection,
  { place }: CredentialNeed,
  existing: LoadedDefinition | undefined,
): boolean {
  if (places) return true
  if (chosen) return place !== 'access'
  if (!existing) return false
  const { sandbox, args, package: from } = existing.definition
  const hasPaths = sandbox.readPaths.length + sandbox.writePaths.length > 0
  const needsFile = place === 'file' || credentials.some((need) => need.place === 'file')
  if (!needsFile) return hasPaths
  return hasPaths && args.length > 1 && launch.kind === 'npm' && from?.identifier === launch.package
}

interface Present {
  readonly existing: LoadedDefinition | undefined
  readonly ref: SecretRef | undefined
}

async function isMissing(
  deps: CredentialDeps,
  connection: Connection,
  need: CredentialNeed,
  { existing, ref }: Present,
): Promise<boolean> {
  const { settings, isAgain = false } = connection
  if (!ref) return !isDispensable(connection, need, existing) && !Object.hasOwn(settings, need.key)
  if (isAgain && need.secret !== undefined) return true
  return !hasDestination(need, existing) || (await wantsMore(deps, ref, existing))
}

/** An address is asked for again if the allow-list of the definition has no host with a port any more. */
function hasDestination(
  { isAddress }: CredentialNeed,
  existing: LoadedDefinition | undefined,
): boolean {
  return isAddress !== true || tunnelsIn(existing?.definition.allowedDomains ?? []).length > 0
}

function namedFor(own: ServerDefinition | undefined, key: string): SecretRef | undefined {
  return own && Object.hasOwn(own.auth, key) ? own.auth[key] : undefined
}

/** Throws before the person is asked, if the definition could not be written in the end. */
function refuseInVain(connection: Connection, found: Found, existing: LoadedDefinition): void {
  refuseTaken(connection, existing)
  const answers = found.missing.flatMap((key) =>
    found.names[key] === undefined ? [] : [[key, `vault:${found.names[key]}`] as const],
  )
  const refs = { ...Object.fromEntries(answers), ...found.refs }
  if (connection.isOwn)
    planDefinition({ ...connection, found: { ...found, refs } }, undefined, existing)
}

/** Whether the service asked, or its definition asks, for a wider scope than its OAuth token has. */
async function wantsMore(
  { acquirer }: CredentialDeps,
  { scheme, name }: SecretRef,
  existing: LoadedDefinition | undefined,
): Promise<boolean> {
  if (scheme !== 'oauth' || acquirer === undefined) return false
  return await acquirer.wantsMore(name, existing?.definition.scopes ?? [])
}

/** The credential is optional, or a plain setting that the definition already has. */
function isDispensable(
  connection: Connection,
  need: CredentialNeed,
  existing: LoadedDefinition | undefined,
): boolean {
  const { key, secret, required, place } = need
  if (place !== undefined) return hasPlaces(connection, need, existing)
  const isSet = secret === undefined && existing && Object.hasOwn(existing.definition.env, key)
  return !required || isSet === true
}

/** Needs of the catalog, and tokens that are only acquired by OAuth: optional until the server asks for them. */
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

/** The catalog's secret names are unique by choice; any other is safe only if it names its package: `npm/…/TOKEN`. */
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
    // A locked vault knows its names too, so a stored secret is not asked for again.
    const isThere =
      ref.scheme === 'vault'
        ? await vault.has(principal, ref.name)
        : await vault.resolves(principal, ref)
    if (isThere) return ref
  }
  return undefined
}

/** The vault name for a service's secret; never overwrites the secret of another service. */
function nameFor({ service }: Connection, secret: string, named: SecretRef | undefined): string {
  if (named?.scheme === 'vault') return named.name
  return isItsOwn(service, secret) ? secret : `${service.slug}.${secret}`
}
