/**
 * The registered clients of the gateway, on disk: name, settings and the hash of a token. A token is made here, shown once
 * to the owner and written to a key file of the client's own (0600), which `cordon gateway` reads; it is stored nowhere
 * else.
 */
import { hash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { Audit, Files, SharedNotes } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type {
  ClientChange,
  Clients,
  ClientSettings,
  GatewayClient,
  MadeClient,
} from '../ports/client-port.ts'
import type { OfferChanges } from '../ports/context-port.ts'
import { badName, MOST_CLIENTS, nameTaken, noSuchClient, tooMany } from './client-errors.ts'

export interface ClientsDeps {
  readonly owner: PrincipalId
  readonly notes: SharedNotes
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
/** A client that another kernel removed is refused after so long. */
const STALE_MS = 500
/** The time of the last request is stored so often. */
const USED_MS = 60_000

interface StoredClient extends GatewayClient {
  /** Absent for a client that signed in by itself. */
  readonly tokenHash?: string
  /** How often all that it had open was cut off. Stored, so that every kernel on the store does so. */
  readonly cuts?: number
}

/** The connections, streams and calls of one client end with it. */
interface Leash {
  readonly of: string
  readonly end: AbortController
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
  cuts: z.int().exactOptional(),
  limits: z.object({ callsPerMinute: limit, bytesPerDay: limit }).exactOptional(),
  isSignedIn: z.literal(true).exactOptional(),
})

/** The port, and what only the sign-in itself may do. */
export interface OpenClients extends Clients {
  addSignedIn(name: string): Promise<GatewayClient>
  /** Ends all that the client has open, at every kernel on the store; the client stays. */
  cutOff(name: string): Promise<void>
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
    cutOff: (name) => registry.cutOff(name),
    edit: (name, change) => registry.edit(name, change),
    remove: (name) => registry.remove(name),
    admit: (token) => registry.admit(token),
    find: (name) => registry.find(name),
    revoked: (client) => registry.revoked(client),
    used: (name) => registry.used(name),
  }
}

class ClientRegistry {
  readonly #deps: ClientsDeps
  #byName = new Map<string, StoredClient>()
  #byHash = new Map<string, StoredClient>()
  readonly #leashes = new Map<string, Leash>()
  readonly #usedAt = new Map<string, number>()
  #readAt = 0
  /** The reads of the store that were begun, and the latest of those that are in force. */
  #reads = 0
  #read = 0
  #isWatching = false

  constructor(deps: ClientsDeps) {
    this.#deps = deps
  }

  async reload(): Promise<void> {
    this.#reads += 1
    const read = this.#reads
    const rows = await this.#deps.notes.list(KIND)
    if (read < this.#read) return // a later one was faster: these rows may hold a client that was removed since
    this.#read = read
    const clients = rows.map(({ content }) => Stored.parse(JSON.parse(content)))
    this.#byName = new Map(clients.map((client) => [client.name, client]))
    this.#byHash = new Map(
      clients.flatMap((client) => (client.tokenHash ? [[client.tokenHash, client] as const] : [])),
    )
    this.#readAt = this.#deps.now()
    for (const [name, { of }] of this.#leashes) {
      if (leashOf(this.#byName.get(name)) !== of) this.#cut(name)
    }
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

  revoked({ name, createdAt }: Pick<GatewayClient, 'name' | 'createdAt'>): AbortSignal {
    const client = this.#byName.get(name)
    if (client?.createdAt !== createdAt) return AbortSignal.abort()
    if (this.#deps.isShared) this.#watch()
    const leash = this.#leashes.get(name) ?? { of: leashOf(client), end: new AbortController() }
    this.#leashes.set(name, leash)
    return leash.end.signal
  }

  async cutOff(name: string): Promise<void> {
    await this.reload()
    const found = this.#byName.get(name)
    if (found) await this.#put({ ...found, cuts: (found.cuts ?? 0) + 1 })
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
    const { now, owner, audit, notes } = this.#deps
    const { name } = client
    await this.reload()
    if (!SHAPE.test(name)) throw badName(name)
    if (this.#byName.has(name)) throw nameTaken(name)
    if (this.#byName.size >= MOST_CLIENTS) throw tooMany()
    const stored = { ...client, createdAt: new Date(now()).toISOString() }
    await audit.appendDurable({ kind: 'gateway.client-added', principal: owner, subject: name })
    // Another kernel, or another request, may have taken the name since the clients were read.
    if (!(await notes.add(KIND, name, JSON.stringify(stored)))) throw nameTaken(name)
    await prepare().catch(async (error: unknown) => {
      await notes.remove(KIND, name)
      throw error
    })
    await this.reload()
    return shown(stored)
  }

  async edit(name: string, change: ClientChange): Promise<GatewayClient> {
    const { owner, audit, offerChanges } = this.#deps
    await this.reload()
    const found = this.#byName.get(name)
    if (!found) throw noSuchClient(name)
    const changed = changedBy(found, change)
    const { name: _name, createdAt: _at, limits, ...settings } = shown(changed)
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
    this.#leashes.get(name)?.end.abort()
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

function shown({ tokenHash: _secret, cuts: _cuts, ...client }: StoredClient): GatewayClient {
  return client
}

/** Another text once the client was removed or cut off, whoever has its name now. */
function leashOf(client: StoredClient | undefined): string {
  return client ? `${client.createdAt} ${client.cuts ?? 0}` : ''
}
