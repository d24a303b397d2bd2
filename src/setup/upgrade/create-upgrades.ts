/**
 * Moves a server to another version of its package. The order is the argument: the new version is installed in a folder
 * beside the one in use, read and compared, tried without network and credentials, shown; and only then its install
 * scripts run, where the owner allowed them, and one write of the definition switches to it. Until that write the old
 * version is in use, and afterwards one step leads back.
 */
import path from 'node:path'
import type {
  Catalog,
  InstalledPackage,
  PackageLaunch,
  PackageLines,
  Packages,
} from '../../ports/catalog-port.ts'
import type {
  PackageDifference,
  Peeking,
  SeenUpgrade,
  TakenUpgrade,
  UpgradePlan,
  Upgrades,
} from '../../ports/upgrade-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Definitions, Notes, Servers } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import type { SeenTools } from '../../text/tool-change.ts'
import { atVersion, switchVersion } from './switch-version.ts'
import { nothingToUndo, otherVersion, scriptsWait, upgradeFailed } from './upgrade-errors.ts'
import { createUpgradeNotes, type UpgradeNote, type UpgradeNotes } from './upgrade-notes.ts'
import { findNewer, findUsed, type UsedPackage } from './used-package.ts'

export interface UpgradeDeps {
  readonly catalog: Pick<Catalog, 'find'>
  readonly definitions: Pick<Definitions, 'load' | 'edit'>
  readonly servers: Peeking &
    Pick<Servers, 'tools' | 'refresh' | 'start' | 'states' | 'toolChanges' | 'acceptTools'>
  readonly notes: Notes
  readonly lines: PackageLines
  readonly packages: Pick<Packages, 'install'> & {
    launchAt(
      entry: string,
    ): Promise<{ slug: string; folder: string; launch: PackageLaunch } | undefined>
    compare(older: string, newer: string): Promise<PackageDifference>
    news(
      used: {
        server: ServerId
        kind: 'npm' | 'pypi' | 'image'
        name: string
        version: string
        tag?: string
      },
      signal: AbortSignal,
    ): Promise<{ readonly newer?: string }>
  }
}

interface Parts extends UpgradeDeps {
  readonly kept: UpgradeNotes
  readonly tell: (server: string, step: string) => void
}

export function createUpgrades(deps: UpgradeDeps): Upgrades {
  const serially = createSerialQueue() // one install at a time, and no switch beside another
  const steps = new Map<string, string>()
  const kept = createUpgradeNotes(deps.notes)
  const parts = { ...deps, kept, tell: (server: string, step: string) => steps.set(server, step) }
  const alone = async <T>(server: string, work: () => Promise<T>): Promise<T> =>
    await serially(async () => await work().finally(() => steps.delete(server)))
  return {
    plan: (server, signal) => alone(server, () => plan(parts, server, signal)),
    take: (server, seen, signal) => alone(server, () => take(parts, server, seen, signal)),
    undo: (server, signal) => alone(server, () => undo(parts, server, signal)),
    step: (server) => steps.get(server),
    before: async (server) => (await noteOf(parts, server).catch(() => undefined))?.note.from,
    async kept() {
      const notes = [...(await kept.all())].flatMap(([server, { folder, former }]) =>
        [folder, ...(former ? [former.folder] : [])].map((one) => [one, server] as const),
      )
      return new Map(notes)
    },
  }
}

async function plan(
  parts: Parts,
  server: string,
  signal: AbortSignal,
): Promise<UpgradePlan | undefined> {
  const used = await findUsed(parts, server)
  parts.tell(server, 'Asking the registry')
  const newer = await findNewer(parts, used, signal)
  if (!newer) return undefined
  const installed = await install(parts, used, withoutScripts(newer), signal)
  parts.tell(server, 'Comparing every file')
  const difference = await parts.packages.compare(used.folder, installed.folder)
  parts.tell(server, 'Starting it for a trial, without network')
  const willRun = scriptsToRun(used, installed)
  const found = await tryTools(parts, atVersion(used, installed), signal)
  const { toolsUnknown = '' } = found
  const unbuilt = { toolsUnknown: `${toolsUnknown}; its install scripts have not run yet` }
  const isUnbuilt = found.toolsUnknown !== undefined && willRun.length > 0
  const { package: name, manifest = '' } = installed
  const tools = { ...found, ...(isUnbuilt && unbuilt) }
  return { server, package: name, ...difference, manifest, ...tools, willRun }
}

/** Looking at a version runs nothing of it outside its own sandbox: a page or a chat may ask for a look. */
function withoutScripts(launch: PackageLaunch): PackageLaunch {
  if (launch.kind !== 'npm') return launch
  const { allowScripts: _later, ...rest } = launch
  return rest
}

/** Those of the version that was looked at, if its owner allowed the scripts of this package. */
function scriptsToRun({ launch }: UsedPackage, looked: InstalledPackage): readonly string[] {
  return launch.kind === 'npm' && launch.allowScripts ? looked.refusedScripts : []
}

async function install(
  { packages, tell }: Parts,
  { id, slug }: UsedPackage,
  launch: PackageLaunch,
  signal: AbortSignal,
): Promise<InstalledPackage> {
  const progress = (step: string, done = ''): void => tell(id, `${step} ${done}`.trim())
  return await packages.install(slug, launch, progress, signal)
}

async function tryTools(
  { servers }: Parts,
  definition: ServerDefinition,
  signal: AbortSignal,
): Promise<Pick<UpgradePlan, 'tools' | 'toolsUnknown' | 'tried'>> {
  try {
    const { changes, tried } = await servers.peek(definition, signal)
    return { tools: changes, tried }
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return { toolsUnknown: error.why ?? error.message, tried: [] }
  }
}

async function take(
  parts: Parts,
  server: string,
  seen: SeenUpgrade,
  signal: AbortSignal,
): Promise<TakenUpgrade> {
  const { version, tools } = seen
  const used = await findUsed(parts, server)
  const installed = await installSeen(parts, used, seen, signal)
  const step = noteFor(used, version, await acceptedNow(parts, used.id))
  const former = await wayBackFrom(parts, server, used)
  const note = former ? { ...step, former } : step
  await parts.kept.put(server, note) // before the switch: from then on there is a way back
  await switchVersion(parts, used, installed)
  const taken = { server, from: note.from, to: version }
  const isStarted = await startAs(parts, used, { taken, note }, signal)
  if (former) await parts.kept.put(server, step) // one step back, not two
  return { ...taken, waiting: isStarted ? await acceptSeen(parts, used.id, tools) : [] }
}

/** With its scripts it is installed from the lock of the version that was looked at: the same archives, by their hashes. */
async function installSeen(
  parts: Parts,
  used: UsedPackage,
  { version, manifest, allowScripts = false }: SeenUpgrade,
  signal: AbortSignal,
): Promise<InstalledPackage> {
  const { integrity: _old, ...same } = used.launch
  const launch = { ...same, version }
  const looked = await install(parts, used, withoutScripts(launch), signal)
  if (looked.manifest !== manifest) throw otherVersion(used.id)
  if (launch.kind !== 'npm' || !launch.allowScripts) return looked
  if (scriptsToRun(used, looked).length > 0 && !allowScripts) throw scriptsWait(used.id)
  return await install(parts, used, launch, signal)
}

async function acceptedNow({ servers }: Parts, id: ServerId): Promise<SeenTools> {
  const tools = (await servers.tools(id)).filter(({ quarantined }) => !quarantined)
  return Object.fromEntries(tools.map(({ name, hash }) => [name, hash]))
}

function noteFor(used: UsedPackage, to: string, accepted: SeenTools): UpgradeNote {
  const { folder, launch, entry, line, definition } = used
  const { package: name, version: from, integrity = '' } = launch
  const args = line?.args ?? definition.args
  const pinned = { package: name, version: from, integrity, entry }
  return { from, to, folder: path.basename(folder), args, pinned, accepted }
}

/** Starts it where it may run. A version that does not start while the old one ran is taken back at once. */
async function startAs(
  parts: Parts,
  { id, definition }: UsedPackage,
  { taken, note }: { readonly taken: Omit<TakenUpgrade, 'waiting'>; readonly note: UpgradeNote },
  signal: AbortSignal,
): Promise<boolean> {
  const { servers, tell } = parts
  const before = (await servers.states('briefly')).find((state) => state.server === id)
  tell(id, `Starting ${taken.to}`)
  await servers.refresh()
  if (!definition.enabled) return false
  try {
    await servers.start(id, signal)
    return true
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    if (before?.badge !== 'connected') return false // it did not run before either: its token, or its owner, is missing
    await restore(parts, await findUsed(parts, id), note)
    await servers.refresh()
    await servers.start(id, signal).catch(() => undefined) // the state tells
    throw upgradeFailed(id, taken.to, taken.from, error.why ?? error.message)
  }
}

/** Accepts the tools of the plan, and no other. Returns the names of the tools that still wait. */
async function acceptSeen(
  { servers }: Parts,
  id: ServerId,
  seen: SeenTools,
): Promise<readonly string[]> {
  const changes = await servers.toolChanges(id)
  // A tool that is gone can do no harm; accepting that only forgets its pin.
  const accepted = changes.filter(({ name, hash, now }) => seen[name] === hash || !now)
  const tools = Object.fromEntries(accepted.map(({ name, hash }) => [name, hash]))
  if (accepted.length > 0) await servers.acceptTools(id, tools)
  return changes.filter((one) => !accepted.includes(one)).map(({ name }) => name)
}

async function undo(parts: Parts, server: string, signal: AbortSignal): Promise<TakenUpgrade> {
  const { used, note } = await noteOf(parts, server)
  await restore(parts, used, note)
  await parts.servers.refresh()
  if (used.definition.enabled) await parts.servers.start(used.id, signal).catch(() => undefined)
  const waiting = await acceptSeen(parts, used.id, note.accepted)
  return { server, from: note.to, to: note.from, waiting }
}

async function noteOf(
  parts: Parts,
  server: string,
): Promise<{ readonly used: UsedPackage; readonly note: UpgradeNote }> {
  if (!(await parts.kept.all()).has(server)) throw nothingToUndo(server)
  const used = await findUsed(parts, server)
  const note = await wayBackFrom(parts, server, used)
  if (!note) throw nothingToUndo(server)
  return { used, note }
}

/** The note that leads to the version in use; a note to another one was never acted on, or was taken back. */
async function wayBackFrom(
  { kept }: Parts,
  server: string,
  { launch }: UsedPackage,
): Promise<UpgradeNote | undefined> {
  const note = (await kept.all()).get(server)
  return [note, note?.former].find((one) => one?.to === launch.version)
}

async function restore(
  { kept, ...parts }: Parts,
  used: UsedPackage,
  { pinned, args, former }: UpgradeNote,
): Promise<void> {
  await switchVersion(parts, used, pinned, args)
  await (former ? kept.put(used.id, former) : kept.remove(used.id))
}
