/** A real vault and a real store in a temporary folder, with the real sign-in and token renewal on top. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createFiles } from '../../src/home/files.ts'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import type { Egress } from '../../src/ports/egress-port.ts'
import type { Log, Vault } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { OAuthMethod, Service } from '../../src/ports/service-facts.ts'
import type { AcquireRequest } from '../../src/setup/connection/acquirer.ts'
import {
  type AcquireParts,
  createAcquire,
  type OAuthAcquirer,
} from '../../src/setup/oauth/create-acquire.ts'
import { createTokens, type OAuthTokens } from '../../src/setup/oauth/create-tokens.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createKeychain } from '../../src/vault/keychain.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { createRedactor } from '../../src/vault/redactor.ts'
import { MCP_URL } from './places.ts'
import { never } from '../../src/kernel/test-never.ts'

export { never } from '../../src/kernel/test-never.ts'

/** The prompt of a sign-in that must not prompt the owner. */
export const nobody = (): void => assert.fail('somebody was prompted')

const log: Log = { info: () => {}, warn: () => {}, error: () => {} }

export interface OAuthDeps extends AsyncDisposable {
  readonly folder: string
  readonly vault: Vault
  readonly tokens: OAuthTokens
  readonly acquire: OAuthAcquirer
  readonly events: AuditEvent[]
  /** Tokens that were reported to need a new sign-in, each with the reason. */
  readonly told: string[]
  readonly clock: { now: number }
}

export type OAuthRoomsOptions = Partial<Omit<AcquireParts, 'tokens' | 'vault' | 'owner'>> & {
  readonly createFetch: Egress['createFetch']
  /** A folder shared with other processes, which is not removed. */
  readonly folder?: string
}

export async function openOAuthRooms(options: OAuthRoomsOptions): Promise<OAuthDeps> {
  await using stack = new AsyncDisposableStack()
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'cordon-oauth-'))
  if (options.folder === undefined) stack.defer(() => rmSync(folder, { recursive: true }))
  const clock = { now: Date.now() }
  const now = (): number => clock.now
  const events: AuditEvent[] = []
  const told: string[] = []
  const audit = {
    appendDurable: async (event: AuditEvent) => {
      events.push(event)
      return { seq: events.length, hash: '' }
    },
  }
  const vault = stack.use(
    await openVault({
      pinPath,
      owner: OWNER.id,
      folder: path.join(folder, 'vault'),
      homeFolder: folder,
      files: createFiles(),
      redactor: createRedactor(),
      keychain: createKeychain(),
      environment: {},
      audit,
      log,
      now,
    }),
  )
  if ((await vault.status()).state === 'absent') await vault.init('keyfile')
  const store = stack.use(await openStore({ sqlitePath: path.join(folder, 'state.db'), log }))
  const shared = { vault, audit, owner: OWNER.id, now }
  const tokens = createTokens({
    ...shared,
    createFetch: options.createFetch,
    locks: store.locks,
    onNeedsAuthorization: (name, reason) => void told.push(`${name}: ${reason}`),
    onSettled: () => undefined,
  })
  const clients: AcquireParts['clients'] = async (provider) =>
    provider === 'test' ? { clientId: 'cordon' } : undefined
  const settings = async () => ({})
  const acquire = createAcquire({ clients, settings, ...options, ...shared, tokens })
  const owned = stack.move()
  const rooms = { folder, vault, tokens, acquire, events, told, clock }
  return { ...rooms, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The token set that the vault holds under a name, decrypted. */
export async function storedToken(
  { vault }: Pick<OAuthDeps, 'vault'>,
  name = 'notes',
): Promise<Record<string, string>> {
  const ref = { scheme: 'vault', name: `oauth/${name}` } as const
  await using lease = await vault.lease(OWNER.id, { it: ref }, never)
  return JSON.parse(lease.value('it').toString()) as Record<string, string>
}

export async function lentToken(
  { vault }: Pick<OAuthDeps, 'vault'>,
  name = 'notes',
): Promise<string> {
  await using lease = await vault.lease(OWNER.id, { it: { scheme: 'oauth', name } }, never)
  return lease.value('it').toString()
}

export function requestFor(method: OAuthMethod, url: string = MCP_URL): AcquireRequest {
  const service: Service = {
    slug: parseServerId('notes'),
    title: 'Notes',
    about: '',
    aliases: [],
    origin: 'catalog',
    source: { kind: 'catalog', name: 'notes' },
    label: 'internal',
    launch: { kind: 'remote', url, transport: 'stream-http' },
    domains: [],
    telemetryDomains: [],
    credentials: [],
    oauth: [method],
    env: {},
    tools: {},
    notes: [],
  }
  return { service, method, name: 'notes' }
}
