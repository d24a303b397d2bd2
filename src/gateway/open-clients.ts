/**
 * The registered clients of the gateway, on disk: name, settings and the hash of a token. A token is made here, shown once
 * to the owner and written to a key file of the client's own (0600), which `cordon gateway` reads; it is stored nowhere
 * else.
 */
import { hash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { Audit, Files, Notes } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type {
  ClientChange,
  Clients,
  ClientSettings,
  GatewayClient,
  MadeClient,
} from '../ports/client-port.ts'
import type { OfferChanges } from '../ports/context-port.ts'

export interface ClientsDeps {
  readonly owner: PrincipalId
  readonly notes: Notes
  readonly files: Pick<Files, 'write' | 'remove'>
  /** Holds `<client>.key`. */
  readonly folder: string
  readonly audit: Pick<Audit, 'appendDurable'>
  /** Several kernels share the store: another one may remove a client. */
  readonly isShared: boolean
  readonly offerChanges: Pick<OfferChanges, 'announce'>
  readonly now: () => number
}

const KIND = 'client'
const USED_KIND = 'client-used'
const SHAPE = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/
const MOST_CLIENTS = 100
/** A client that another kernel removed is refused after so long. */
const STALE_MS = 500
/** The time of the last request is stored so often. */
const USED_MS = 60_000

interface StoredClient extends GatewayClient {
  /** Absent for a client that signed in by itself. */
  readonly tokenHash?: string
}

const limit = z.number().positive().exactOptional()
const Stored: z.ZodType<StoredClient> = z.object({
  name: z.string(),
  taint: z.enum(['ask', 'deny', 'warn']),
  createdAt: z.string(),
  kind: z.string().exactOptional(),
  contexts: z.array(z.string()).exactOptional(),
  search: z.enum(['auto', 'on', 'off']).exactOptional(),
  listTokens: z.int().positive().exactOptional(),
  tokenHash: z.string().exactOptional(),
  limits: z.object({ callsPerMinute: limit, bytesPerDay: limit }).exactOptional(),
  isSignedIn: z.literal(true).exactOptional(),
})

/** The port, and the registration of clients that sign in, which only the sign-in itself may make. */
export interface OpenClients extends Clients {
  addSignedIn(name: string): Promise<GatewayClient>
}

export async function openClients(deps: ClientsDeps): Promise<OpenClients> {
  const registry = new ClientRegistry(deps)
  await registry.reload()
  return {
    add: (client) => registry.add(client),
    addSignedIn: (name) => registry.addSignedIn(name),
    async list() {
      await registry.reload()
      return await registry.all()
    },
    edit: (name, change) => registry.edit(name, change),
    remove: (name) => registry.remove(name),
    admit: (token) => registry.admit(token),
    find: (name) => registry.find(name),
    revoked: (name) => registry.revoked(name),
    used: (name) => registry.used(name),
  }
}

class ClientRegistry {
  readonly #deps: ClientsDeps
  #byName = new Map<string, StoredClient>()
  #byHash = new Map<string, StoredClient>()
  readonly #leashes = new Map<string, AbortController>()
  readonly #usedAt = new Map<string, number>()
  #readAt = 0
  #isWatching = false

  constructor(deps: ClientsDeps) {
    this.#deps = deps
  }

  async reload(): Promise<void> {
    const rows = await this.#deps.notes.list(KIND)
    const clients = rows.map(({ content }) => Stored.parse(JSON.parse(content)))
    this.#byName = new Map(clients.map((client) => [client.name, client]))
    this.#byHash = new Map(
      clients.flatMap((client) => (client.tokenHash ? [[client.tokenHash, client] as const] : [])),
    )
    this.#readAt = this.#deps.now()
    for (const name of this.#leashes.keys()) if (!this.#byName.has(name)) this.#cut(name)
  }

  async all(): Promise<readonly GatewayClient[]> {
    const rows = await this.#deps.notes.list(USED_KIND)
    const stored = new Map(rows.map(({ id, content }) => [id, content]))
    const clients = [...this.#byName.values()].map((client) => {
      const used = this.#usedAt.get(client.name)
      const lastUsedAt = used === undefined ? stored.get(client.name) : new Date(used).toISOString()
      return { ...shown(client), ...(lastUsedAt !== undefined && { lastUsedAt }) }
    })
    return clients.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  async admit(token: string): Promise<GatewayClient | undefined> {
    const { isShared, now } = this.#deps
    if (isShared && now() - this.#readAt > STALE_MS) await this.reload()
    // The hash of a random token is the key: comparing it takes a time that tells nothing about the token.
    return this.#byHash.get(hash('sha256', token))
  }

  find(name: string): GatewayClient | undefined {
    return this.#byName.get(name)
  }

  revoked(name: string): AbortSignal {
    if (!this.#byName.has(name)) return AbortSignal.abort()
    if (this.#deps.isShared) this.#watch()
    const leash = this.#leashes.get(name) ?? new AbortController()
    this.#leashes.set(name, leash)
    return leash.signal
  }

  used(name: string): void {
    const at = this.#deps.now()
    const before = this.#usedAt.get(name) ?? 0
    if (at - before < 1000) return
    this.#usedAt.set(name, at)
    const isStored = Math.floor(at / USED_MS) === Math.floor(before / USED_MS)
    if (isStored || !this.#byName.has(name)) return
    // Only shown to people: a time that could not be stored is lost with the process.
    void this.#deps.notes.put(USED_KIND, name, new Date(at).toISOString()).catch(() => undefined)
  }

  async add(client: Pick<GatewayClient, 'name' | 'taint'> & ClientSettings): Promise<MadeClient> {
    const token = randomBytes(32).toString('base64url')
    const added = await this.#register(
      { ...client, tokenHash: hash('sha256', token) },
      async () => {
        await this.#deps.files.write(this.#keyFile(client.name), `${token}\n`)
      },
    )
    return { client: added, token }
  }

  async addSignedIn(name: string): Promise<GatewayClient> {
    return await this.#register({ name, taint: 'ask', isSignedIn: true }, async () => undefined)
  }

  async #register(
    client: Omit<StoredClient, 'createdAt'>,
    prepare: () => Promise<void>,
  ): Promise<GatewayClient> {
    const { now, owner, audit } = this.#deps
    const { name } = client
    await this.reload()
    if (!SHAPE.test(name)) throw badName(name)
    if (this.#byName.has(name)) throw nameTaken(name)
    if (this.#byName.size >= MOST_CLIENTS) throw tooMany()
    const stored = { ...client, createdAt: new Date(now()).toISOString() }
    await audit.appendDurable({ kind: 'gateway.client-added', principal: owner, subject: name })
    await prepare()
    await this.#put(stored)
    return shown(stored)
  }

  async edit(name: string, change: ClientChange): Promise<GatewayClient> {
    const { owner, audit, offerChanges } = this.#deps
    await this.reload()
    const found = this.#byName.get(name)
    if (!found) throw noSuchClient(name)
    const changed = changedBy(found, change)
    const { tokenHash: _secret, name: _name, createdAt: _at, limits, ...settings } = changed
    const details = { ...settings, ...limits }
    await audit.appendDurable({
      kind: 'gateway.client-changed',
      principal: owner,
      subject: name,
      details,
    })
    await this.#put(changed)
    offerChanges.announce()
    return shown(changed)
  }

  async remove(name: string): Promise<void> {
    const { notes, files, owner, audit } = this.#deps
    await this.reload()
    if (!this.#byName.has(name)) throw noSuchClient(name)
    await audit.appendDurable({ kind: 'gateway.client-removed', principal: owner, subject: name })
    await notes.remove(KIND, name)
    await this.reload() // ends its open connections
    this.#usedAt.delete(name)
    await notes.remove(USED_KIND, name)
    await files.remove(this.#keyFile(name))
  }

  #cut(name: string): void {
    this.#leashes.get(name)?.abort()
    this.#leashes.delete(name)
  }

  /** Several kernels share the store: an open connection asks nobody whether its client is still there. */
  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    setInterval(() => void this.reload().catch(() => undefined), STALE_MS).unref()
  }

  #keyFile(name: string): string {
    return join(this.#deps.folder, `${name}.key`)
  }

  async #put(client: StoredClient): Promise<void> {
    await this.#deps.notes.put(KIND, client.name, JSON.stringify(client))
    await this.reload()
  }
}

/** An empty `kind` and a limit of null are taken away. */
function changedBy(found: StoredClient, change: ClientChange): StoredClient {
  const { callsPerMinute, bytesPerDay, ...settings } = change
  const limits = { ...found.limits, ...definedIn({ callsPerMinute, bytesPerDay }) }
  const kept = Object.entries(limits).filter(([, value]) => value !== null)
  const { kind, ...others }: StoredClient = { ...found, ...settings }
  return { ...others, ...(kind && { kind }), limits: Object.fromEntries(kept) }
}

function definedIn<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<T>
}

function shown({ tokenHash: _secret, ...client }: StoredClient): GatewayClient {
  return client
}

function badName(name: string): CordonError {
  return new CordonError(
    'gateway.client-name',
    { exit: 2, hint: 'Use lower-case letters, digits and "-", at most 32 characters' },
    `Cannot name a client ${JSON.stringify(name)}`,
  )
}

function nameTaken(name: string): CordonError {
  return new CordonError(
    'gateway.client-taken',
    { exit: 2, hint: `Choose another name, or run \`cordon client remove ${name}\` first` },
    `Cannot add client ${JSON.stringify(name)}: there is one`,
  )
}

function tooMany(): CordonError {
  return new CordonError(
    'gateway.clients-full',
    { exit: 2, hint: 'Run `cordon client list`, and remove one that you no longer use' },
    `Cannot add a client: there are ${MOST_CLIENTS}`,
  )
}

function noSuchClient(name: string): CordonError {
  return new CordonError(
    'gateway.no-client',
    { exit: 2, hint: 'Run `cordon client list` to see the clients there are' },
    `Cannot find client ${JSON.stringify(name)}`,
  )
}
