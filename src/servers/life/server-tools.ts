/** The tools of one server, as it lists them or as last seen: compared with their pins, audited and stored. */
import { isDeepStrictEqual } from 'node:util'
import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { isFeatureName } from '../../text/feature-names.ts'
import type { DeclaredFeatures } from '../../ports/feature-port.ts'
import { createSerialQueue, type SerialQueue } from '../../text/serial-queue.ts'
import type { Json } from '../../text/json.ts'
import type { Noticing } from '../../ports/notice-port.ts'
import type { Audit, Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { SeenTools, ToolChange } from '../../text/tool-change.ts'
import { cleanJson } from '../session/json-bounds.ts'
import type { LogRing } from '../session/log-ring.ts'
import type { Session } from '../session/open-session.ts'
import type { RawTool } from '../session/tool-list.ts'
import { createFeatureTools, NOTHING_DECLARED } from './create-feature-tools.ts'
import {
  acceptTools,
  changesIn,
  diffManifest,
  type Manifest,
  type ManifestDiff,
  type ManifestTool,
  markTools,
  NOTHING_SEEN,
  quarantineAll,
  readManifest,
} from './manifest.ts'
import type { ManifestStore, StoredManifest } from './manifest-store.ts'
import { nameIn } from '../session/name-in.ts'
import { describeMarks, type NewMarks, otherTools } from './tool-marks.ts'

const MAX_PRIOR = 64 * 1024
const MAX_INSTRUCTIONS = 64 * 1024
/** A stored protocol era expires after a week: the server may have learned a newer one. */
const PRIOR_MS = 7 * 24 * 60 * 60_000

export interface ToolDeps {
  readonly manifests: ManifestStore
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly owner: PrincipalId
  readonly redact: (text: string) => string
  readonly notices: Noticing
  readonly now: () => number
}

/** The protocol era of a session, and the server's instructions for a model. */
type Spoken = Pick<Session, 'prior' | 'instructions'> & {
  readonly features: Pick<Session['features'], 'declared'>
}

export class ServerTools {
  readonly #deps: ToolDeps
  readonly #server: ServerId
  readonly #ring: LogRing
  /** Each read-modify-write of the stored manifest runs alone, so that no update is lost. */
  readonly #serially: SerialQueue = createSerialQueue()
  #stored: Promise<StoredManifest | undefined> | undefined
  /** False after a failed write, so that the next list is written even if unchanged. */
  #isOnDisk = true
  #manifest: Manifest | undefined
  readonly #features = createFeatureTools()

  constructor(deps: ToolDeps, server: ServerId, ring: LogRing) {
    this.#deps = deps
    this.#server = server
    this.#ring = ring
  }

  /** Whether a list was read from the server, now or at an earlier start. */
  async areSeen(): Promise<boolean> {
    await this.all()
    return this.#manifest !== undefined
  }

  /** Looks in memory only: the tools are there once the server has run or `all` was called. */
  find(name: string): ManifestTool | undefined {
    if (!this.#manifest || !isFeatureName(name)) return this.#manifest?.tools.get(name)
    return this.#features(this.#manifest, name)
  }

  /** The features besides tools, as the server declared them last. */
  async declared(): Promise<DeclaredFeatures> {
    return (await this.#load())?.declared ?? NOTHING_DECLARED
  }

  /** Empty if the file cannot be read: one server's bad file must not break a list of all servers. */
  async all(): Promise<readonly ManifestTool[]> {
    const { log } = this.#deps
    await this.#load().catch((error: unknown) => {
      log.error('The pinned tools of a server cannot be read', { server: this.#server, error })
    })
    return [...(this.#manifest?.tools.values() ?? [])]
  }

  /** The server's `instructions`: shown to its owner if they look suspicious, and never to a model. */
  async instructions(): Promise<string | undefined> {
    return (await this.#load())?.instructions
  }

  /** The protocol era of the last session; undefined if the launch has changed since, or the era has expired. */
  async priorFor(launchHash: string): Promise<PriorDiscovery | undefined> {
    const stored = await this.#load()
    if (stored?.launchHash !== launchHash) return undefined
    return this.#deps.now() - stored.seenAt < PRIOR_MS ? stored.prior : undefined
  }

  async take(
    raw: readonly RawTool[],
    { prior, instructions: said, features: { declared } }: Spoken,
    launchHash: string,
  ): Promise<void> {
    await this.#serially(async () => {
      const stored = await this.#load()
      const before = stored?.manifest
      const manifest = manifestOf(raw, before)
      this.#manifest = manifest
      if (manifest.hash !== before?.hash) {
        this.#tell(manifest, before === undefined)
        this.#notice(manifest)
      }
      const isKnown = (await this.priorFor(launchHash)) !== undefined
      const seenAt = isKnown && stored ? stored.seenAt : this.#deps.now()
      const instructions = said && this.#deps.redact(said).slice(0, MAX_INSTRUCTIONS)
      const now: StoredManifest = {
        manifest,
        prior: this.#cleaned(prior),
        launchHash,
        seenAt,
        declared,
        ...(instructions && { instructions }),
      }
      if (!this.#isOnDisk || !isSame(stored, now)) await this.#save(now)
    })
  }

  /** Tools that differ from what the owner last accepted. */
  async changes(): Promise<readonly ToolChange[]> {
    await this.#load()
    return this.#manifest ? changesIn(this.#manifest) : []
  }

  /** The changes that this list would be; nothing is stored. */
  async changesTo(raw: readonly RawTool[]): Promise<readonly ToolChange[]> {
    await this.#load()
    return this.#manifest ? changesIn(readManifest(raw, this.#manifest)) : []
  }

  /** Pins these tools as the owner saw them. */
  async accept(seen: SeenTools): Promise<void> {
    await this.#serially(async () => {
      const stored = await this.#load()
      const manifest = acceptTools(this.#manifest ?? readManifest([], NOTHING_SEEN), seen)
      if (!stored) return
      this.#manifest = manifest
      const { hash, tools } = manifest
      const accepted = Object.keys(seen).length
      this.#record({ event: 'accepted', tools: tools.size, accepted, hash })
      await this.#save({ ...stored, manifest })
      this.#notice(manifest)
    })
  }

  /** Records the owner's marks for the tools whose list has the hash `set`. Throws if the list is another by now. */
  async mark(set: string, news: NewMarks, program: string): Promise<void> {
    await this.#serially(async () => {
      const stored = await this.#load()
      if (!stored || this.#manifest?.hash !== set) throw otherTools()
      const manifest = markTools(this.#manifest, news, program)
      const { audit, owner } = this.#deps
      const details = { ...describeMarks(news), set }
      audit.append({ kind: 'servers.mark', principal: owner, subject: this.#server, details })
      await this.#save({ ...stored, manifest })
      this.#manifest = manifest
    })
  }

  /** The hash of the list as it is now; empty for a server that was never seen. */
  get set(): string {
    return this.#manifest?.hash ?? ''
  }

  /** Blocks every tool until the owner accepts it again; works also for a server that was never seen. */
  async quarantine(): Promise<void> {
    await this.#serially(async () => {
      const stored = (await this.#load()) ?? NEVER_SEEN
      const manifest = quarantineAll(this.#manifest ?? stored.manifest)
      this.#manifest = manifest
      const { hash, tools } = manifest
      this.#record({ event: 'quarantined', tools: tools.size, hash })
      await this.#save({ ...stored, manifest })
      this.#notice(manifest)
    })
  }

  /** Whether there are tools and none of them is accepted. */
  async areAllQuarantined(): Promise<boolean> {
    const tools = await this.all()
    return tools.length > 0 && tools.every(({ quarantined }) => quarantined)
  }

  async #load(): Promise<StoredManifest | undefined> {
    this.#stored ??= this.#deps.manifests.read(this.#server).catch((error: unknown) => {
      this.#stored = undefined // a failure is not cached: the next read may succeed
      throw error
    })
    const stored = await this.#stored
    this.#manifest ??= stored?.manifest
    return stored
  }

  async #save(stored: StoredManifest): Promise<void> {
    this.#stored = Promise.resolve(stored)
    this.#isOnDisk = false
    await this.#deps.manifests.write(this.#server, stored)
    this.#isOnDisk = true
  }

  #tell(manifest: Manifest, isFirst: boolean): void {
    const diff = diffManifest(manifest)
    const { hash, tools } = manifest
    const counts = {
      added: diff.added.length,
      changed: diff.changed.length,
      removed: diff.removed.length,
    }
    this.#record({ event: isFirst ? 'pinned' : 'changed', tools: tools.size, hash, ...counts })
    for (const line of linesFor(diff)) this.#ring.add('cordon', line)
  }

  /** Tools that the owner set aside are no news to them. */
  #notice({ tools, pins }: Manifest): void {
    const { notices } = this.#deps
    const server = nameIn(this.#server)
    const waiting = [...tools.values()].filter(({ quarantined, isHeld }) => quarantined && !isHeld)
    const names = waiting.map(({ name }) => name)
    if (names.length === 0) return notices.resolve('quarantine', server)
    const settled = new Set([...tools.keys(), ...pins.keys()]).difference(new Set(names))
    notices.resolve('quarantine', server, [...settled])
    notices.raise('quarantine', server, names)
  }

  #record(details: Readonly<Record<string, Json>>): void {
    const { audit, owner } = this.#deps
    audit.append({ kind: 'servers.manifest', principal: owner, subject: this.#server, details })
  }

  /** The discovery result comes from the server and is written to disk, so secrets are redacted. */
  #cleaned(prior: PriorDiscovery): PriorDiscovery {
    const value = prior as unknown as Json
    return cleanJson(value, this.#deps.redact, MAX_PRIOR) as unknown as PriorDiscovery
  }
}

const NEVER_SEEN: StoredManifest = {
  manifest: readManifest([], NOTHING_SEEN),
  launchHash: '',
  seenAt: 0,
}

function manifestOf(raw: readonly RawTool[], before: Manifest | undefined): Manifest {
  return before && isListOf(before, raw) ? before : readManifest(raw, before)
}

/** Whether these are the definitions of the manifest, byte for byte: then it need not be hashed again. */
function isListOf({ tools }: Manifest, raw: readonly RawTool[]): boolean {
  const known = [...tools.values()].map((tool) => tool.raw)
  return known.length === raw.length && JSON.stringify(known) === JSON.stringify(raw)
}

/** An unchanged manifest need not be written again. */
function isSame(stored: StoredManifest | undefined, now: StoredManifest): boolean {
  return (
    stored?.manifest.hash === now.manifest.hash &&
    stored.launchHash === now.launchHash &&
    stored.seenAt === now.seenAt &&
    stored.instructions === now.instructions &&
    isDeepStrictEqual(stored.declared, now.declared) &&
    isDeepStrictEqual(stored.prior, now.prior)
  )
}

function linesFor({ added, changed, removed }: ManifestDiff): readonly string[] {
  return [
    ...changed.map((name) => `Tool ${JSON.stringify(name)} changed; it waits for your approval`),
    ...added.map((name) => `Tool ${JSON.stringify(name)} is new; it waits for your approval`),
    ...removed.map((name) => `Tool ${JSON.stringify(name)} is gone`),
  ]
}
