/**
 * Routes by which a page shows and changes the settings of one server. They change its name, label, hosts, folders, plain
 * settings that the catalog declares, and whether it is enabled; no program, argument or variable can be named here, so a
 * page starts nothing that the owner did not connect. No answer holds a secret.
 */
import { z } from 'zod'
import type { Catalog } from '../ports/catalog-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { Definitions, Servers, Vault } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type { SecretRef } from '../kernel/secret-ref.ts'
import type { LoadedDefinition, ServerDefinition } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { CredentialNeed, Service } from '../ports/service-facts.ts'
import { looksSecret } from '../text/looks-secret.ts'
import type { AccountNames } from './account-names.ts'
import { path, server, serverOnly, words } from './fields.ts'
import { noSuchServer } from './no-such-server.ts'
import type { Routes } from './route.ts'

/** How the server proves who asks; `isThere`: its credential resolves now. */
export type ServerAccess =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'token'
      readonly isThere: boolean
      /** Such as `integration token`. */
      readonly title: string
      readonly where?: string
      readonly url?: string
      /** The file that holds the credential; absent: it is in the vault, or nowhere yet. */
      readonly keyfile?: string
    }
  /** `account` is the name that the provider told: untrusted. */
  | { readonly kind: 'oauth'; readonly isThere: boolean; readonly account?: string }

/** A plain setting that the catalog declares for the service. */
export interface ServerSetting {
  /** The name of its variable; shown to people only if they ask for it. */
  readonly key: string
  readonly title: string
  readonly where?: string
  readonly value: string
}

export interface ServerSettings {
  readonly server: string
  readonly name: string
  readonly label: string
  readonly isEnabled: boolean
  /** False for a definition of the system or a project, which cannot be changed here. */
  readonly isOwn: boolean
  /** The server runs in a sandbox on this machine, so folders can be shown to it. */
  readonly takesFolders: boolean
  readonly allowedDomains: readonly string[]
  readonly readPaths: readonly string[]
  readonly writePaths: readonly string[]
  readonly access: ServerAccess
  readonly settings: readonly ServerSetting[]
  /** The service in the catalog, of which further accounts can be connected `as NAME`; absent: not from there. */
  readonly service?: { readonly slug: string; readonly title: string }
  /** The other servers of the same service, each with its own account. */
  readonly accounts: readonly { readonly server: string; readonly name: string }[]
  /** The folder in which it keeps data between starts; removed with it. */
  readonly keeps?: string
}

export interface SettingsChanges {
  readonly name?: string
  readonly label?: string
  readonly enabled?: boolean
  readonly allowedDomains?: readonly string[]
  readonly readPaths?: readonly string[]
  readonly writePaths?: readonly string[]
  /** By key; only keys that `mcp.settings` lists. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface SettingsContract {
  'mcp.settings': { surface: 'any'; input: { readonly server: string }; output: ServerSettings }
  /** Open to the page: none of these fields decides which program runs. The command line has `mcp edit`. */
  'mcp.configure': {
    surface: 'any'
    input: { readonly server: string; readonly changes: SettingsChanges }
    output: ServerSettings
  }
}

export interface SettingsDeps {
  readonly principal: Principal
  readonly catalog: Pick<Catalog, 'services'>
  readonly definitions: Pick<Definitions, 'load' | 'edit'>
  readonly servers: Pick<Servers, 'refresh'>
  readonly vault: Pick<Vault, 'resolves'>
  readonly accounts: Pick<AccountNames, 'find'>
  readonly data: { find(server: ServerDefinition['id']): string | undefined }
}

const paths = z.array(path).max(100).exactOptional()
const changes = z.strictObject({
  name: words,
  label: words,
  enabled: z.boolean().exactOptional(),
  allowedDomains: z.array(z.string().min(1).max(255)).max(1000).exactOptional(),
  readPaths: paths,
  writePaths: paths,
  settings: z.record(z.string().min(1).max(200), z.string().min(1).max(500)).exactOptional(),
})

export function settingsRoutes(deps: SettingsDeps): Routes<SettingsContract> {
  return {
    'mcp.settings': {
      surface: 'any',
      input: serverOnly,
      handle: ({ server }) => showSettings(deps, server),
    },
    'mcp.configure': {
      surface: 'any',
      input: z.strictObject({ server, changes }),
      async handle({ server, changes: { settings, ...rest } }) {
        const { definition } = (await find(deps, server)).found
        const env = settings && checkSettings(serviceOf(deps, definition), settings)
        await deps.definitions.edit(parseServerId(server), { ...rest, ...(env && { env }) })
        await deps.servers.refresh()
        return await showSettings(deps, server)
      },
    },
  }
}

async function find(
  { definitions }: SettingsDeps,
  server: string,
): Promise<{ readonly found: LoadedDefinition; readonly all: readonly LoadedDefinition[] }> {
  const { servers: all } = await definitions.load()
  const found = all.find(({ definition }) => definition.id === server)
  if (!found) throw noSuchServer(server, all)
  return { found, all }
}

/** Only for a program that the catalog vouches for: a definition cannot borrow the settings of a known name. */
function serviceOf(
  { catalog }: SettingsDeps,
  { isKnown, source }: ServerDefinition,
): Service | undefined {
  if (isKnown !== true || source?.kind !== 'catalog') return undefined
  return catalog.services.find(({ slug }) => slug === source.name)
}

async function showSettings(deps: SettingsDeps, server: string): Promise<ServerSettings> {
  const { found, all } = await find(deps, server)
  const { definition, scope, runsAs } = found
  const { id, name, label, enabled, allowedDomains, sandbox, transport } = definition
  const service = serviceOf(deps, definition)
  const keeps = deps.data.find(runsAs ?? id)
  return {
    server: id,
    name,
    label,
    isEnabled: enabled,
    isOwn: scope === 'user',
    takesFolders: transport === 'stdio',
    allowedDomains,
    readPaths: sandbox.readPaths,
    writePaths: sandbox.writePaths,
    access: await accessOf(deps, definition, service),
    settings: plainNeeds(service).map((need) => settingOf(need, definition)),
    ...(service && { service: { slug: service.slug, title: service.title } }),
    accounts: service ? accountsOf(all, service, id) : [],
    ...(keeps !== undefined && { keeps }),
  }
}

async function accessOf(
  { vault, principal, accounts }: SettingsDeps,
  { id, auth }: ServerDefinition,
  service: Service | undefined,
): Promise<ServerAccess> {
  const [ref] = Object.values(auth)
  const need = service?.credentials.find(({ secret }) => secret !== undefined)
  const isThere = ref !== undefined && (await vault.resolves(principal.id, ref))
  if (isSignedInTo(ref, need, service)) {
    const account = await accounts.find(id)
    return { kind: 'oauth', isThere, ...(account !== undefined && { account }) }
  }
  if (!ref && !need) return { kind: 'none' }
  const keyfile = ref?.scheme === 'file' ? { keyfile: ref.name } : {}
  return { kind: 'token', isThere, ...tokenFacts(need), ...keyfile }
}

/** By its credential, or, without one, because the catalog knows no token that could be typed. */
function isSignedInTo(
  ref: SecretRef | undefined,
  need: CredentialNeed | undefined,
  service: Service | undefined,
): boolean {
  if (ref) return ref.scheme === 'oauth'
  return need === undefined && service !== undefined && service.oauth.length > 0
}

function tokenFacts({
  title = 'token',
  where,
  url,
}: Partial<CredentialNeed> = {}): Pick<
  Extract<ServerAccess, { readonly kind: 'token' }>,
  'title' | 'where' | 'url'
> {
  return { title, ...(where !== undefined && { where }), ...(url !== undefined && { url }) }
}

function plainNeeds(service: Service | undefined): readonly CredentialNeed[] {
  const needs = service?.credentials ?? []
  return needs.filter(({ secret, place }) => secret === undefined && place === undefined)
}

function settingOf(
  { key, title, where }: CredentialNeed,
  { env }: ServerDefinition,
): ServerSetting {
  return { key, title, ...(where !== undefined && { where }), value: env[key] ?? '' }
}

function accountsOf(
  all: readonly LoadedDefinition[],
  { slug }: Service,
  own: string,
): ServerSettings['accounts'] {
  return all.flatMap(({ definition: { id, name, source, isKnown } }) => {
    const isSame = isKnown === true && source?.kind === 'catalog' && source.name === slug
    return isSame && id !== own ? [{ server: id, name }] : []
  })
}

/** A definition is a plain file, so a token typed into the field of a setting is refused and not repeated. */
function checkSettings(
  service: Service | undefined,
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const needs = plainNeeds(service)
  for (const [key, value] of Object.entries(settings)) {
    const need = needs.find((one) => one.key === key)
    if (!need) throw noSetting('this server has no such setting', 'Look at its settings again')
    if (looksSecret(key, value) || /\p{Cc}/u.test(value)) {
      throw noSetting(
        `the ${need.title} looks like a secret or has line breaks in it`,
        'Enter a token as its credential: that goes to the vault',
      )
    }
  }
  return settings
}

function noSetting(why: string, hint: string): CordonError {
  return new CordonError('kernel.setting', { exit: 2, hint }, `Cannot change a setting: ${why}`)
}
