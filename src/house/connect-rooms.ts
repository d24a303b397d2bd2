/** Builds the rooms that connect services: catalog, installs, tokens, setup. Contains no rules. */
import { homedir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ApiDeps } from '../api/server.ts'
import type { openAudit } from '../audit/open-audit.ts'
import { createCatalog } from '../catalog/create-catalog.ts'
import { createRegistries, REGISTRY_URLS } from '../catalog/create-registries.ts'
import { readSmitheryKey } from '../catalog/registry/smithery-key.ts'
import { openPackages, type OwnedPackages } from '../catalog/install/open-packages.ts'
import { createEgress } from '../egress/create-egress.ts'
import { createOAuthClients } from '../home/oauth-clients.ts'
import type { openHome } from '../home/open-home.ts'
import { callTool } from '../kernel/call-tool.ts'
import type { Packages } from '../kernel/catalog-port.ts'
import type { Egress } from '../kernel/egress-port.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type {
  Approvals,
  Definitions,
  Log,
  Policy,
  Redactor,
  Servers,
  Vault,
} from '../kernel/ports.ts'
import { openForOwner, ownCall } from '../kernel/own-call.ts'
import { OWNER } from '../kernel/principal.ts'
import { nonInteractive } from '../kernel/non-interactive.ts'
import type { Sandbox } from '../kernel/sandbox-port.ts'
import type { Outlet } from '../kernel/setup-port.ts'
import { createAcquire } from '../setup/oauth/create-acquire.ts'
import { createTokens, type OAuthTokens } from '../setup/oauth/create-tokens.ts'
import { keepFresh } from '../setup/oauth/keep-fresh.ts'
import { type FreshCredentials, openFreshCredentials } from '../setup/oauth/fresh-credentials.ts'
import { lentTokenNames } from '../setup/oauth/lent-token-names.ts'
import { createSetup, type OwnedSetup } from '../setup/create-setup.ts'
import type { OwnerTables, Store } from '../store/open-store.ts'
import { initOnFirstSet } from '../vault/init-on-first-set.ts'
import type { Outside } from './create-surface.ts'

export interface ConnectingRooms {
  readonly home: Awaited<ReturnType<typeof openHome>>
  readonly log: Log
  readonly redactor: Redactor
  readonly audit: Awaited<ReturnType<typeof openAudit>>
  readonly store: Store
  readonly tables: OwnerTables
  readonly vault: Vault
  readonly definitions: Definitions
  readonly egress: Egress
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly outside: Outside
}

export async function openInstalls(
  rooms: ConnectingRooms,
  sandbox: Sandbox,
): Promise<OwnedPackages> {
  const { home, audit, log, environment, outside } = rooms
  const registryUrl = environment['npm_config_registry']
  const extraAuthorities = environment['NODE_EXTRA_CA_CERTS']
  // The owner's own registry may be in their private network. This egress reaches the registry's host only.
  const isPrivate = environment['CORDON_PRIVATE_REGISTRY'] === '1'
  const egress = createEgress({
    owner: OWNER.id,
    audit,
    log,
    ...outside,
    ...(isPrivate && { dangerouslyAllowAddress: () => true }),
  })
  return await openPackages({
    owner: OWNER.id,
    audit,
    folder: home.paths.packages,
    sandbox,
    egress,
    npmPath: path.join(npmFolder(), 'bin', 'npm-cli.js'),
    npmrcPath: path.join(homedir(), '.npmrc'),
    ...(registryUrl !== undefined && { registryUrl }),
    ...(extraAuthorities !== undefined && { extraAuthorities }),
  })
}

function npmFolder(): string {
  return path.dirname(fileURLToPath(import.meta.resolve('npm/package.json')))
}

export function openTokens(rooms: ConnectingRooms, notify: (text: string) => void): OAuthTokens {
  const { vault, store, egress, audit } = rooms
  return createTokens({
    vault: initOnFirstSet(vault),
    locks: store.locks,
    createFetch: (options) => egress.createFetch(options),
    audit,
    owner: OWNER.id,
    now: Date.now,
    onNeedsAuthorization: (name, reason) =>
      notify(`The sign-in of ${name} is over: ${reason}. Run \`cordon connect ${name}\``),
  })
}

export function openCredentials(
  { vault, egress }: ConnectingRooms,
  tokens: OAuthTokens,
  notify: (text: string) => void,
): FreshCredentials {
  return openFreshCredentials({ vault, egress, tokens, owner: OWNER.id, notify })
}

/** Keeps the tokens of connected servers fresh until `signal` aborts. */
export async function lookAfterTokens(
  { definitions, log }: ConnectingRooms,
  { tokens, servers }: Pick<Serving, 'tokens' | 'servers'>,
  signal: AbortSignal,
): Promise<void> {
  await keepFresh(
    {
      tokens,
      names: () => lentTokenNames(definitions),
      onRenewed: (name) => void servers.renew(name),
      onTrouble: (name, error) => log.warn('A token cannot be looked after', { name, error }),
      now: Date.now,
      sleep,
    },
    signal,
  )
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal, ref: false })

interface Serving {
  readonly servers: Servers
  readonly packages: Packages
  readonly tokens: OAuthTokens
  readonly policy: Policy
  readonly approvals: Approvals
  readonly told: ToldLabels
  readonly outlet: Outlet
  readonly formUrl: (service: string) => string | undefined
}

interface Connecting extends Pick<ApiDeps, 'catalog' | 'registries' | 'acceptCallback'> {
  readonly setup: OwnedSetup
  readonly tokens: OAuthTokens
}

export function openConnectRooms(rooms: ConnectingRooms, serving: Serving): Connecting {
  const { home, log, audit, tables, vault, egress, redactor, definitions } = rooms
  const { tokens, servers, packages, outlet, formUrl } = serving
  const setupVault = initOnFirstSet(vault)
  const catalog = createCatalog()
  const hosts = Object.values(REGISTRY_URLS).map((url) => new URL(url).hostname)
  const registries = createRegistries({
    fetch: egress.createFetch({ allowedDomains: hosts }),
    files: home.files,
    cacheFolder: path.join(home.paths.cache, 'registries'),
    smitheryKey: () => readSmitheryKey(vault, OWNER.id),
    now: Date.now,
    log,
  })
  const acquirer = createAcquire({
    tokens,
    vault: setupVault,
    createFetch: (options) => egress.createFetch(options),
    audit,
    owner: OWNER.id,
    clients: createOAuthClients(home.files, home.paths.config),
  })
  const setup: OwnedSetup = createSetup({
    owner: OWNER,
    catalog,
    registries,
    packages,
    vault: setupVault,
    definitions,
    servers,
    notes: tables.notes,
    audit,
    log,
    redactor,
    outlet,
    callTool: async ({ principal, tool, args, callId }, signal) => {
      const request = ownCall(principal, tool, args, callId)
      const approvals = nonInteractive(serving.approvals)
      return openForOwner(await callTool({ ...serving, approvals, audit }, request, signal))
    },
    acquirer,
    formUrl,
    now: Date.now,
    sleep,
  })
  return { setup, catalog, registries, tokens, acceptCallback: acquirer.complete }
}
