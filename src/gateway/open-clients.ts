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
import type { Clients, GatewayClient } from '../ports/client-port.ts'

export interface ClientsDeps {
  readonly owner: PrincipalId
  readonly notes: Notes
  readonly files: Pick<Files, 'write' | 'remove'>
  /** Holds `<client>.key`. */
  readonly folder: string
  readonly audit: Pick<Audit, 'appendDurable'>
  /** Several kernels share the store: another one may remove a client. */
  readonly isShared: boolean
  readonly now: () => number
}

const KIND = 'client'
const SHAPE = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/
const MOST_CLIENTS = 100
/** A client that another kernel removed is refused after so long. */
const STALE_MS = 500

interface StoredClient extends GatewayClient {
  readonly tokenHash: string
}

const Stored: z.ZodType<StoredClient> = z.object({
  name: z.string(),
  taint: z.enum(['ask', 'deny', 'warn']),
  createdAt: z.string(),
  tokenHash: z.string(),
})

export async function openClients(deps: ClientsDeps): Promise<Clients> {
  const registry = new ClientRegistry(deps)
  await registry.reload()
  return {
    add: (client) => registry.add(client),
    async list() {
      await registry.reload()
      return registry.all()
    },
    edit: (name, change) => registry.edit(name, change),
    remove: (name) => registry.remove(name),
    admit: (token) => registry.admit(token),
  }
}

class ClientRegistry {
  readonly #deps: ClientsDeps
  #byHash = new Map<string, StoredClient>()
  #readAt = 0

  constructor(deps: ClientsDeps) {
    this.#deps = deps
  }

  async reload(): Promise<void> {
    const rows = await this.#deps.notes.list(KIND)
    const clients = rows.map(({ content }) => Stored.parse(JSON.parse(content)))
    this.#byHash = new Map(clients.map((client) => [client.tokenHash, client]))
    this.#readAt = this.#deps.now()
  }

  all(): readonly GatewayClient[] {
    const clients = [...this.#byHash.values()].map(shown)
    return clients.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  async admit(token: string): Promise<GatewayClient | undefined> {
    const { isShared, now } = this.#deps
    if (isShared && now() - this.#readAt > STALE_MS) await this.reload()
    // The hash of a random token is the key: comparing it takes a time that tells nothing about the token.
    return this.#byHash.get(hash('sha256', token))
  }

  async add(client: Pick<GatewayClient, 'name' | 'taint'>) {
    const { now, owner, audit, files } = this.#deps
    await this.reload()
    if (!SHAPE.test(client.name)) throw badName(client.name)
    if (this.#find(client.name)) throw nameTaken(client.name)
    if (this.#byHash.size >= MOST_CLIENTS) throw tooMany()
    const token = randomBytes(32).toString('base64url')
    const createdAt = new Date(now()).toISOString()
    const stored = { ...client, createdAt, tokenHash: hash('sha256', token) }
    await audit.appendDurable({
      kind: 'gateway.client-added',
      principal: owner,
      subject: client.name,
    })
    await files.write(this.#keyFile(client.name), `${token}\n`)
    await this.#put(stored)
    return { client: shown(stored), token }
  }

  async edit(name: string, change: Partial<Pick<GatewayClient, 'taint'>>): Promise<GatewayClient> {
    const { owner, audit } = this.#deps
    await this.reload()
    const found = this.#find(name)
    if (!found) throw noSuchClient(name)
    const changed = { ...found, ...change }
    const details = { taint: changed.taint }
    await audit.appendDurable({
      kind: 'gateway.client-changed',
      principal: owner,
      subject: name,
      details,
    })
    await this.#put(changed)
    return shown(changed)
  }

  async remove(name: string): Promise<boolean> {
    const { notes, files, owner, audit } = this.#deps
    await this.reload()
    const found = this.#find(name)
    if (!found) return false
    await audit.appendDurable({ kind: 'gateway.client-removed', principal: owner, subject: name })
    await notes.remove(KIND, name)
    this.#byHash.delete(found.tokenHash)
    await files.remove(this.#keyFile(name))
    return true
  }

  #find(name: string): StoredClient | undefined {
    return [...this.#byHash.values()].find((client) => client.name === name)
  }

  #keyFile(name: string): string {
    return join(this.#deps.folder, `${name}.key`)
  }

  async #put(client: StoredClient): Promise<void> {
    await this.#deps.notes.put(KIND, client.name, JSON.stringify(client))
    this.#byHash.set(client.tokenHash, client)
  }
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

export function noSuchClient(name: string): CordonError {
  return new CordonError(
    'gateway.no-client',
    { exit: 2, hint: 'Run `cordon client list` to see the clients there are' },
    `Cannot find client ${JSON.stringify(name)}`,
  )
}
