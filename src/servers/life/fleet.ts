/**
 * All servers of one owner, kept in line with their definitions. Servers whose credentials resolve start with Cordon,
 * in parallel and without delaying it; the others start at their first call.
 */
import { basename } from 'node:path'
import type { FormatRules } from '../../text/content-format.ts'
import { isDeepStrictEqual } from 'node:util'
import type { DefinitionListing, Definitions, Vault } from '../../kernel/ports.ts'
import type { ServerDefinition, ToolOverride } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import { isAtRest } from './next-life.ts'
import type { Provide } from './provide-definition.ts'
import { type LifeDeps, ServerLife } from './server-life.ts'
import { stricterDefinition } from './stricter-definition.ts'

type KnownTools = (
  definition: ServerDefinition,
) => Readonly<Record<string, ToolOverride>> | undefined

export interface FleetDeps extends LifeDeps {
  readonly definitions: Pick<Definitions, 'load'> & Partial<Pick<Definitions, 'stamp'>>
  readonly vault: Pick<Vault, 'lease' | 'resolves'>
  /** How many servers run at once, unless the owner sets it. */
  readonly maxRunning: number
  /** The catalog's overrides for a server's tools; undefined if the catalog does not vouch for the server. */
  readonly knownTools?: KnownTools | undefined
  /** Formats of the texts that such a server takes. */
  readonly knownFormats?: ((definition: ServerDefinition) => FormatRules | undefined) | undefined
}

/** How long a list of tools waits for servers that start for the first time. */
const PATIENCE_MS = 5000

/** Notices that mean nothing once their server is gone. */
const KINDS = [
  'given-up',
  'quarantine',
  'blocked',
  'sign-in',
  'scopes',
  'update',
  'withdrawn',
] as const

/** An edit by hand counts after so long at the latest. A look before every call would be a tenth of what the call costs. */
const LOOK_MS = 10

export class Fleet implements AsyncDisposable {
  readonly #deps: FleetDeps
  readonly #lives = new Map<ServerId, ServerLife>()
  /** Servers that the owner stopped; they stay stopped until a call or the owner starts them. */
  readonly #stopped = new Set<ServerId>()
  /** Servers of projects: not listed, not started before they are called, kept whatever the owner defines. */
  readonly #guests = new Map<ServerId, ServerDefinition>()
  /** Of each server's files when they were last read. */
  readonly #stamps = new Map<ServerId, string>()
  /** Servers that run as their file was before its last edit; the next start takes the edit up. */
  readonly #outdated = new Set<ServerId>()
  /** Found unedited within the last `LOOK_MS`: calls that come close together share one look at the files. */
  readonly #unedited = new Set<ServerId>()
  readonly #serially = createSerialQueue()

  constructor(deps: FleetDeps) {
    const { provide } = deps
    const provideKnown: Provide | undefined =
      provide && (async (...start) => withKnownTools(deps, await provide(...start)))
    this.#deps = { ...deps, provide: provideKnown }
  }

  find(server: ServerId): ServerLife | undefined {
    return this.#lives.get(server)
  }

  all(): readonly ServerLife[] {
    return [...this.#lives.values()]
  }

  /** Those that the owner defined: without the servers of projects. */
  own(): readonly ServerLife[] {
    return this.all().filter(({ id }) => !this.#guests.has(id))
  }

  async admit(definition: ServerDefinition): Promise<void> {
    await this.#serially(async () => {
      const guest = withKnownTools(this.#deps, definition)
      this.#guests.set(guest.id, guest)
      const known = this.#lives.get(guest.id)
      if (known && !isDeepStrictEqual(known.definition, guest)) await known.redefine(guest)
      if (!known) this.#lives.set(guest.id, new ServerLife(this.#deps, guest))
    })
  }

  async dismissGuests(): Promise<void> {
    await this.#serially(async () => {
      const gone = this.all().filter(({ id }) => this.#guests.has(id))
      for (const { id } of gone) this.#lives.delete(id)
      this.#guests.clear()
      await end(gone)
    })
  }

  /** Loads and applies the definitions. Waits for servers that must end, never for servers that start. */
  async refresh(): Promise<void> {
    await this.#serially(async () => {
      // Before the files are read, so that an edit meanwhile is noticed at the next call.
      for (const { id } of this.own()) this.#stamp(id)
      await this.#redefine(await this.#load())
    })
    // Reads the pins of every server first, for which a caller that starts one of them need not wait.
    this.#serially(() => this.#startEager()).catch((error: unknown) => {
      this.#deps.log.error('Not every server was started with Cordon', { error })
    })
  }

  /** Whether the server's file holds an edit that counts now, or at the next start of a server that does not run. */
  isEdited({ id, life }: ServerLife): boolean {
    // A project's servers are admitted anew, as they were trusted, before they are called.
    if (this.#guests.has(id)) return false
    if (this.#outdated.has(id) && isAtRest(life)) return true
    if (this.#unedited.has(id)) return false
    if (this.#deps.definitions.stamp?.(id) !== this.#stamps.get(id)) return true
    if (this.#unedited.size === 0) setTimeout(() => this.#unedited.clear(), LOOK_MS).unref()
    this.#unedited.add(id)
    return false
  }

  /** Whether the server runs as its file was before an edit. */
  isOutdated({ id, life }: ServerLife): boolean {
    if (isAtRest(life) || this.#guests.has(id)) return false
    return this.#outdated.has(id) || this.#deps.definitions.stamp?.(id) !== this.#stamps.get(id)
  }

  /**
   * Applies an edit by hand: what it forbids before the next call, all of it if the server does not run. False while the file is gone: nothing may be called then.
   * A file that cannot be read changes nothing, since an editor may be half way through.
   */
  async tighten(server: ServerLife): Promise<boolean> {
    return await this.#serially(async () => {
      const stamp = this.#deps.definitions.stamp?.(server.id)
      const { servers, problems } = await this.#load()
      if (problems.some(({ path }) => basename(path) === `${server.id}.toml`)) return true
      const found = servers.find(({ definition }) => definition.id === server.id)
      if (!found) return false
      const edited = withKnownTools(this.#deps, found.definition)
      const isRunning = !isAtRest(server.life)
      const next = isRunning ? stricterDefinition(server.definition, edited) : edited
      await server.redefine(next)
      if (isDeepStrictEqual(next, edited)) this.#outdated.delete(server.id)
      else this.#outdated.add(server.id)
      if (stamp !== undefined) this.#stamps.set(server.id, stamp)
      return true
    })
  }

  async start(server: ServerLife, signal: AbortSignal): Promise<void> {
    this.#stopped.delete(server.id)
    if (isAtRest(server.life) && this.isEdited(server)) await this.tighten(server)
    await server.start(signal)
  }

  /** A server added a moment ago is still being started; a list of tools without its own would look like a loss. */
  async firstTools(): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS)
    const isOver = new Promise<void>((resolve) => {
      patience.addEventListener('abort', () => resolve())
    })
    await Promise.race([this.#serially(async () => undefined), isOver])
    const starting = this.own().filter(({ life }) => life.kind === 'starting')
    const see = async (server: ServerLife): Promise<void> => {
      if (!(await server.tools.areSeen())) await server.ready(patience).catch(() => undefined)
    }
    await Promise.all(starting.map(see))
  }

  async stop(server: ServerLife): Promise<void> {
    this.#stopped.add(server.id)
    await server.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#serially(async () => await end(this.all()))
  }

  async #redefine({ servers }: DefinitionListing): Promise<void> {
    const known = servers.map(({ definition }) => withKnownTools(this.#deps, definition))
    const wanted = new Map(known.map((definition) => [definition.id, definition]))
    const gone = this.own().filter(({ id }) => !wanted.has(id))
    for (const { id } of gone) this.#lives.delete(id)
    this.#outdated.clear()
    await end(gone)
    for (const { id } of gone) for (const kind of KINDS) this.#deps.notices.resolve(kind, id)
    for (const definition of wanted.values()) {
      const known = this.#lives.get(definition.id)
      if (known) {
        this.#forgetVersion(known.definition, definition)
        await known.redefine(definition)
      } else {
        this.#stamp(definition.id)
        this.#lives.set(definition.id, new ServerLife(this.#deps, definition))
      }
    }
  }

  async #load(): Promise<DefinitionListing> {
    const listing = await this.#deps.definitions.load()
    this.#deps.slots.resize(listing.maxRunning ?? this.#deps.maxRunning)
    return listing
  }

  /** Notices about another version than the one that is used now. */
  #forgetVersion(before: ServerDefinition, now: ServerDefinition): void {
    if (before.package?.version === now.package?.version) return
    for (const kind of ['update', 'withdrawn'] as const) this.#deps.notices.resolve(kind, now.id)
  }

  #stamp(id: ServerId): void {
    const stamp = this.#deps.definitions.stamp?.(id)
    if (stamp !== undefined) this.#stamps.set(id, stamp)
  }

  /**
   * Starts no more servers than may run: eager servers must not evict each other. One that runs already stays. One whose
   * tools were never seen starts even so, and evicts another: without a first start nobody could find its tools.
   */
  async #startEager(): Promise<void> {
    const running = this.all().filter(({ life }) => !isAtRest(life))
    let room = this.#deps.slots.max - running.length
    for (const server of this.own()) {
      const isRunning = isUp(server)
      if (!isRunning && !(await isStartable(server, room))) continue
      if (!(await this.#isEager(server.definition))) continue
      if (await server.tools.areAllQuarantined()) continue // none of its tools could be called
      if (this.#stopped.has(server.id)) continue // perhaps just now
      if (!isRunning) room -= 1
      server.startSoon()
    }
  }

  async #isEager({ start, auth }: ServerDefinition): Promise<boolean> {
    if (start !== undefined) return start === 'eager'
    const { vault, owner } = this.#deps
    const found = await Promise.all(Object.values(auth).map((ref) => vault.resolves(owner, ref)))
    return found.every(Boolean)
  }
}

/** Merges the catalog's overrides of each tool with the owner's, which take precedence. */
function withKnownTools(
  { knownTools, knownFormats }: Pick<FleetDeps, 'knownTools' | 'knownFormats'>,
  definition: ServerDefinition,
): ServerDefinition {
  const known = knownTools?.(definition)
  if (!known) return definition
  const tools: Record<string, ToolOverride> = { ...known }
  for (const [name, own] of Object.entries(definition.tools)) {
    const roles = { ...tools[name]?.roles, ...own.roles }
    tools[name] = { ...tools[name], ...own, ...(Object.keys(roles).length > 0 && { roles }) }
  }
  const formats = knownFormats?.(definition)
  return { ...definition, tools, isKnown: true, ...(formats && { formats }) }
}

function isUp({ life }: ServerLife): boolean {
  return life.kind === 'starting' || life.kind === 'connected'
}

async function isStartable({ life, tools }: ServerLife, room: number): Promise<boolean> {
  return life.kind === 'idle' && (room > 0 || !(await tools.areSeen()))
}

async function end(servers: readonly ServerLife[]): Promise<void> {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
}
