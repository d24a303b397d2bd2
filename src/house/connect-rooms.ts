/** Builds the rooms that connect services: catalog, installs, tokens, setup. Contains no rules. */
import { homedir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ApiDeps } from '../api/server.ts'
import type { openAudit } from '../audit/open-audit.ts'
import { createRegistries, REGISTRY_URLS } from '../catalog/create-registries.ts'
import { createReadRepository, REPOSITORY_HOST } from '../catalog/registry/read-repository.ts'
import { readSmitheryKey } from '../catalog/registry/smithery-key.ts'
import { openPackages, type OwnedPackages } from '../catalog/install/open-packages.ts'
import { createConfigFile } from '../home/config-file.ts'
import { createOAuthClients } from '../home/oauth-clients.ts'
import { readSignInSettings } from '../home/sign-in-settings.ts'
import type { openHome } from '../home/open-home.ts'
import { callTool } from '../kernel/call-tool.ts'
import type { Catalog, Registries } from '../ports/catalog-port.ts'
import type { Egress } from '../ports/egress-port.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { Approvals, Definitions, Log, Policy, Redactor, Vault } from '../kernel/ports.ts'
import { openForOwner, ownCall } from '../kernel/own-call.ts'
import { OWNER } from '../kernel/principal.ts'
import { nonInteractive } from '../kernel/non-interactive.ts'
import type { Sandbox } from '../kernel/sandbox-port.ts'
import type { Outlet } from '../ports/setup-port.ts'
import { createAccountNames } from '../setup/connection/account-names.ts'
import { createAcquire } from '../setup/oauth/create-acquire.ts'
import { createTokens, type OAuthTokens } from '../setup/oauth/create-tokens.ts'
import { createKeptClients } from '../setup/oauth/kept-clients.ts'
import { keepFresh } from '../setup/oauth/keep-fresh.ts'
import { type FreshCredentials, openFreshCredentials } from '../setup/oauth/fresh-credentials.ts'
import { lentTokenNames } from '../setup/oauth/lent-token-names.ts'
import { createPathJudge, type JudgePath } from '../sandbox/judge-path.ts'
import { createSetup, type OwnedSetup } from '../setup/create-setup.ts'
import type { OwnedServers } from '../servers/open-servers.ts'
import { createUpgrades } from '../setup/upgrade/create-upgrades.ts'
import type { PackageLines } from '../ports/catalog-port.ts'
import type { Upgrades } from '../ports/upgrade-port.ts'
import type { OwnerTables, Store } from '../store/open-store.ts'
import { initOnFirstSet } from '../vault/init-on-first-set.ts'

export interface ConnectingRooms {
  readonly home: Awaited<ReturnType<typeof openHome>>
  readonly log: Log
  readonly redactor: Redactor
  readonly audit: Awaited<ReturnType<typeof openAudit>>
  readonly store: Store
  readonly tables: OwnerTables
  readonly vault: Vault
  readonly catalog: Catalog
  readonly definitions: Definitions
  readonly lines: PackageLines
  readonly egress: Egress
  readonly environment: Readonly<Record<string, string | undefined>>
}

export async function openInstalls(
  rooms: ConnectingRooms,
  sandbox: Sandbox,
): Promise<OwnedPackages> {
  const { home, audit, log, environment, egress } = rooms
  return await openPackages({
    owner: OWNER.id,
    audit,
    log,
    folder: home.paths.packages,
    sandbox,
    egress,
    environment,
    homeFolder: homedir(),
    npmPath: ownNpm(),
  })
}

/** The judge of paths that servers may be shown. */
export function judging({ path: cordonHome }: ConnectingRooms['home']): {
  readonly judgePath: JudgePath
} {
  return { judgePath: createPathJudge({ cordonHome, userHome: homedir() }) }
}

/** The npm that came with Cordon. */
export function ownNpm(): string {
  return fileURLToPath(new URL('bin/npm-cli.js', import.meta.resolve('npm/package.json')))
}

export function openTokens(rooms: ConnectingRooms, notices: Noticing): OAuthTokens {
  const { vault, store, egress, audit } = rooms
  return createTokens({
    vault: initOnFirstSet(vault),
    locks: store.locks,
    createFetch: (options) => egress.createFetch(options),
    audit,
    owner: OWNER.id,
    now: Date.now,
    onNeedsAuthorization: (name, reason) => notices.raise('sign-in', name, undefined, reason),
    onSettled(name) {
      notices.resolve('sign-in', name)
      notices.resolve('scopes', name)
    },
  })
}

export function openCredentials(
  { vault, egress }: ConnectingRooms,
  tokens: OAuthTokens,
  notices: Noticing,
): FreshCredentials {
  return openFreshCredentials({ vault, egress, tokens, owner: OWNER.id, notices })
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
  readonly servers: OwnedServers
  readonly packages: OwnedPackages
  readonly tokens: OAuthTokens
  readonly policy: Policy
  readonly approvals: Approvals
  readonly told: ToldLabels
  readonly outlet: Outlet
  readonly formUrl: (service: string) => string | undefined
}

interface Connecting
  extends Pick<ApiDeps, 'catalog' | 'registries' | 'acceptCallback' | 'accounts'> {
  readonly setup: OwnedSetup
  readonly tokens: OAuthTokens
  readonly upgrades: Upgrades
}

/** The registries, and repositories that describe a server. */
function asking(registries: Registries, egress: Egress) {
  const fetch = egress.createFetch({ allowedDomains: [REPOSITORY_HOST] })
  return { registries, readRepository: createReadRepository(fetch) }
}

function openAcquirer({ home, vault, egress, audit }: ConnectingRooms, tokens: OAuthTokens) {
  const config = createConfigFile(home.files, home.paths.config)
  return createAcquire({
    tokens,
    vault: initOnFirstSet(vault),
    createFetch: (options) => egress.createFetch(options),
    audit,
    owner: OWNER.id,
    clients: createKeptClients(vault, OWNER.id, createOAuthClients(home.files, home.paths.config)),
    settings: () => readSignInSettings(config, home.paths.config),
  })
}

export function openConnectRooms(rooms: ConnectingRooms, serving: Serving): Connecting {
  const { home, log, audit, tables, vault, egress, redactor, catalog, definitions } = rooms
  const { tokens, servers, packages, outlet, formUrl } = serving
  const hosts = Object.values(REGISTRY_URLS).map((url) => new URL(url).hostname)
  const registries = createRegistries({
    fetch: egress.createFetch({ allowedDomains: hosts }),
    files: home.files,
    cacheFolder: path.join(home.paths.cache, 'registries'),
    smitheryKey: () => readSmitheryKey(vault, OWNER.id),
    now: Date.now,
    log,
  })
  const acquirer = openAcquirer(rooms, tokens)
  const accounts = createAccountNames(tables.notes)
  const setup: OwnedSetup = createSetup({
    owner: OWNER,
    catalog,
    ...asking(registries, egress),
    packages,
    vault: initOnFirstSet(vault),
    definitions,
    servers,
    notes: tables.notes,
    accounts,
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
    homeFolder: homedir(),
    ...judging(home),
    formUrl,
    now: Date.now,
    sleep,
  })
  const upgrades = createUpgrades({ ...rooms, notes: tables.notes, servers, packages })
  const done = { acceptCallback: acquirer.complete }
  return { setup, upgrades, catalog, registries, tokens, accounts, ...done }
}
