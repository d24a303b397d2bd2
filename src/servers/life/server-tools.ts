/** The tools of one server: from the running server, or as they were last seen; pinned, diffed and written down. */
import { isDeepStrictEqual } from 'node:util'
import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { createSerialQueue, type SerialQueue } from '../../text/serial-queue.ts'
import type { Json } from '../../text/json.ts'
import type { Audit, Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { SeenTools, ToolChange } from '../../kernel/tool-change.ts'
import { cleanJson } from '../session/json-bounds.ts'
import type { LogRing } from '../session/log-ring.ts'
import type { Session } from '../session/open-session.ts'
import type { RawTool } from '../session/tool-list.ts'
import {
  acceptTools,
  changesIn,
  diffManifest,
  type Manifest,
  type ManifestDiff,
  type ManifestTool,
  NOTHING_SEEN,
  quarantineAll,
  readManifest,
} from './manifest.ts'
import type { ManifestStore, StoredManifest } from './manifest-store.ts'

const MAX_PRIOR = 64 * 1024
const MAX_INSTRUCTIONS = 64 * 1024
/** A server may learn a newer protocol; once in a while it is asked again. */
const PRIOR_MS = 7 * 24 * 60 * 60_000

export interface ToolDeps {
  readonly manifests: ManifestStore
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly owner: PrincipalId
  readonly redact: (text: string) => string
  readonly now: () => number
}

/** How a session goes, and what the server would have a model be told. */
type Spoken = Pick<Session, 'prior' | 'instructions'>

export class ServerTools {
  readonly #deps: ToolDeps
  readonly #server: ServerId
  readonly #ring: LogRing
  /** What was read is written back, so nobody may come in between. */
  readonly #serially: SerialQueue = createSerialQueue()
  #stored: Promise<StoredManifest | undefined> | undefined
  /** False where a disk did not take it. */
  #isOnDisk = true
  #manifest: Manifest | undefined

  constructor(deps: ToolDeps, server: ServerId, ring: LogRing) {
    this.#deps = deps
    this.#server = server
    this.#ring = ring
  }

  /** As far as they are in memory, which they are once the server has run or `all` was asked. */
  find(name: string): ManifestTool | undefined {
    return this.#manifest?.tools.get(name)
  }

  /** None where they cannot be read: one server's bad file is not the end of a list of all. */
  async all(): Promise<readonly ManifestTool[]> {
    const { log } = this.#deps
    await this.#load().catch((error: unknown) => {
      log.error('The pinned tools of a server cannot be read', { server: this.#server, error })
    })
    return [...(this.#manifest?.tools.values() ?? [])]
  }

  /** What the server says of itself: shown to its owner where something is odd about it, and to nobody else. */
  async instructions(): Promise<string | undefined> {
    return (await this.#load())?.instructions
  }

  /** How the server spoke last time; undefined where it was launched in another way since. */
  async priorFor(launchHash: string): Promise<PriorDiscovery | undefined> {
    const stored = await this.#load()
    if (stored?.launchHash !== launchHash) return undefined
    return this.#deps.now() - stored.seenAt < PRIOR_MS ? stored.prior : undefined
  }

  async take(
    raw: readonly RawTool[],
    { prior, instructions: said }: Spoken,
    launchHash: string,
  ): Promise<void> {
    await this.#serially(async () => {
      const stored = await this.#load()
      const before = stored?.manifest
      const manifest = readManifest(raw, before)
      this.#manifest = manifest
      if (manifest.hash !== before?.hash) this.#tell(manifest, before === undefined)
      const isKnown = (await this.priorFor(launchHash)) !== undefined
      const seenAt = isKnown && stored ? stored.seenAt : this.#deps.now()
      const instructions = said && this.#deps.redact(said).slice(0, MAX_INSTRUCTIONS)
      const now: StoredManifest = {
        manifest,
        prior: this.#cleaned(prior),
        launchHash,
        seenAt,
        ...(instructions && { instructions }),
      }
      if (!this.#isOnDisk || !isSame(stored, now)) await this.#save(now)
    })
  }

  /** What is not as the owner last accepted it. */
  async changes(): Promise<readonly ToolChange[]> {
    await this.#load()
    return this.#manifest ? changesIn(this.#manifest) : []
  }

  /** The owner takes these tools as they saw them. */
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
    })
  }

  /** Nothing of it can be called until its owner accepts it again; also where it was never seen before. */
  async quarantine(): Promise<void> {
    await this.#serially(async () => {
      const stored = (await this.#load()) ?? NEVER_SEEN
      const manifest = quarantineAll(this.#manifest ?? stored.manifest)
      this.#manifest = manifest
      const { hash, tools } = manifest
      this.#record({ event: 'quarantined', tools: tools.size, hash })
      await this.#save({ ...stored, manifest })
    })
  }

  /** There are tools, and not one of them was accepted. */
  async areAllQuarantined(): Promise<boolean> {
    const tools = await this.all()
    return tools.length > 0 && tools.every(({ quarantined }) => quarantined)
  }

  async #load(): Promise<StoredManifest | undefined> {
    this.#stored ??= this.#deps.manifests.read(this.#server).catch((error: unknown) => {
      this.#stored = undefined // a disk that fails once may be read the next time
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

  #record(details: Readonly<Record<string, Json>>): void {
    const { audit, owner } = this.#deps
    audit.append({ kind: 'servers.manifest', principal: owner, subject: this.#server, details })
  }

  /** It is the server's word and lies on disk: no secret may be in it. */
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

/** Then it need not be written again. */
function isSame(stored: StoredManifest | undefined, now: StoredManifest): boolean {
  return (
    stored?.manifest.hash === now.manifest.hash &&
    stored.launchHash === now.launchHash &&
    stored.seenAt === now.seenAt &&
    stored.instructions === now.instructions &&
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
