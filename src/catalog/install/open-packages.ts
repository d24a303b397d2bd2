/**
 * Verified installs, each in `<slug>@<version>/` below one folder. An install is built under another name and renamed
 * in one step, so a folder is complete or absent. An existing folder is checked and used without any network.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AuditKind } from '../../kernel/audit-kinds.ts'
import type { InstalledPackage, InstallProgress, Packages } from '../../ports/catalog-port.ts'
import type { PackageDifference } from '../../ports/upgrade-port.ts'
import type { DoctorCheck } from '../../text/doctor-check.ts'
import { CordonError } from '../../kernel/error.ts'
import type { JsonObject } from '../../text/json.ts'
import type { Audit, Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { CheckFolder } from './check-folder.ts'
import { openCheckingThread } from './checking-thread.ts'
import { readHttpPackage } from './http-package.ts'
import { cannotInstall, explainDisk, notOurs, TAMPERED } from './install-errors.ts'
import { DEFAULT_LIMITS, type InstallLimits, limitInstall, limitTime } from './install-limits.ts'
import { copyLock, resolveTag } from './install-npm.ts'
import { type Installable, type InstallPlan, planInstall } from './install-plan.ts'
import { comparePackages } from './compare-packages.ts'
import { type InstalledLaunch, readInstalledLaunch } from './installed-launch.ts'
import { lookUpNews, type PackageNews, type UsedPackage } from './look-up-news.ts'
import { openPartFolder, type PartFolder, sweepPartFolders } from './part-folder.ts'
import { type Receipt, readReceipt } from './receipt.ts'
import type { StepParts } from './npm-task.ts'
import { describeShipped } from '../shipped/describe-shipped.ts'
import { createSharedWork } from './shared-work.ts'
import { listStored, removeStored, type StoredPackage } from './stored-packages.ts'
import { tryRegistry } from './try-registry.ts'
import { reasonOf } from './unfit.ts'
import { parseTagged } from './wanted-package.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { resolveDigest } from '../images/install-image.ts'
import { type ImageLaunch, isPinned, parseWantedImage } from '../images/wanted-image.ts'
import { resolvePythonVersion } from '../python/install-python.ts'
import { parseRange } from '../python/wanted-python.ts'

export interface PackagesOptions extends StepParts {
  /** The principal whose packages these are, for the audit log. */
  readonly owner: PrincipalId
  readonly audit: Pick<Audit, 'append'>
  readonly log: Pick<Log, 'warn'>
  /** `packages/` of the home, absolute. */
  readonly folder: string
  /** The program of the HTTP server, if it is not beside this file. */
  readonly httpServerPath?: string
  readonly limits?: Partial<InstallLimits>
}

const LONGEST_WORDS = 2000
const HTTP_SERVER = fileURLToPath(new URL('http-server.mjs', import.meta.url))

export interface OwnedPackages extends Packages, AsyncDisposable {
  /** Whether anything could be installed now. */
  tryRegistry(signal: AbortSignal): Promise<DoctorCheck>
  /** Asks the registry about a package that is in use. */
  news(used: UsedPackage, signal: AbortSignal): Promise<PackageNews>
  /** The launch that installed the program at this path; undefined if it is no installed program. */
  launchAt(entry: string): Promise<InstalledLaunch | undefined>
  /** Compares two installed folders, after a check that both are as they were installed. */
  compare(older: string, newer: string): Promise<PackageDifference>
  list(): Promise<readonly StoredPackage[]>
  /** Removes an installed folder, whether a server uses it or not. False if there is none of this name. */
  remove(name: string): Promise<boolean>
}

export async function openPackages(options: PackagesOptions): Promise<OwnedPackages> {
  const root = options.folder
  await sweepPartFolders(root)
  const http = await readHttpPackage(options.httpServerPath ?? HTTP_SERVER)
  const shared = createSharedWork<Receipt>()
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const record: Recorder = (kind, subject, details = {}) =>
    void options.audit.append({ kind, principal: options.owner, subject, details })
  const thread = openCheckingThread()
  const check = recording(thread.check, record)
  const place = { root, check, limits, record }
  return {
    async install(slug, launch, progress, signal) {
      if (launch.kind === 'npm' && launch.isShipped) return await describeShipped(launch)
      try {
        const exact = await pinInTime({ options, limits }, slug, launch, signal)
        const plan = planInstall({ npm: options, http }, slug, exact)
        const folder = path.join(root, plan.name)
        const build = (tell: InstallProgress, alive: AbortSignal) =>
          provide(plan, place, tell, alive)
        const receipt = await shared.do(folder, build, progress, signal)
        return await describe(plan, folder, receipt)
      } catch (error) {
        if (error instanceof CordonError) logFailure(options.log, slug, error)
        throw error
      }
    },
    async check(folder) {
      const own = ownFolder(root, folder)
      if (!existsSync(own)) throw notOurs(own)
      await check(own)
    },
    async news(used, signal) {
      await using part = await openPartFolder(options.folder)
      using limited = limitTime(used.name, limits.askMs, signal)
      return await lookUpNews(options, { ...used, part }, limited.signal)
    },
    ...comparing(root, check),
    list: () => listStored(root),
    async remove(name) {
      const isRemoved = await removeStored(root, name)
      if (isRemoved) record('catalog.removed', name)
      return isRemoved
    },
    tryRegistry: (signal) => tryRegistry(options, root, signal),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

function comparing(root: string, check: CheckFolder): Pick<OwnedPackages, 'launchAt' | 'compare'> {
  return {
    launchAt: (entry) => readInstalledLaunch(root, entry),
    async compare(older, newer) {
      for (const folder of [older, newer]) await check(ownFolder(root, folder))
      return await comparePackages(older, newer)
    },
  }
}

/** npm's own last words are in the cause, which no surface shows. */
function logFailure(log: PackagesOptions['log'], server: string, error: CordonError): void {
  const { code, message, cause } = error
  const npm = cause instanceof Error ? cause.message.trim().slice(-LONGEST_WORDS) : ''
  log.warn('A package was not installed', { server, code, message, ...(npm && { npm }) })
}

interface Asking {
  readonly options: PackagesOptions
  readonly limits: InstallLimits
}

/** Limited in time: the queue of installs waits for the answer. */
async function pinInTime(
  { options, limits }: Asking,
  slug: string,
  launch: Installable,
  signal: AbortSignal,
): Promise<Installable> {
  const what = launch.kind === 'http' ? slug : launch.package
  using limited = limitTime(what, limits.askMs, signal)
  return await pinVersion(options, slug, launch, limited.signal)
}

/** Resolves a tag first, so that every install has one exact version. */
async function pinVersion(
  options: PackagesOptions,
  slug: string,
  launch: Installable,
  signal: AbortSignal,
): Promise<Installable> {
  if (launch.kind === 'pypi') return await pinPythonVersion(options, slug, launch, signal)
  if (launch.kind === 'image') return await pinDigest(options, slug, launch, signal)
  const tagged = launch.kind === 'npm' ? parseTagged(slug, launch) : undefined
  if (launch.kind !== 'npm' || !tagged) return launch
  await using part = await openPartFolder(options.folder)
  return { ...launch, version: await resolveTag(options, { ...tagged, part }, signal) }
}

async function pinPythonVersion(
  options: PackagesOptions,
  slug: string,
  launch: Extract<Installable, { kind: 'pypi' }>,
  signal: AbortSignal,
): Promise<Installable> {
  if (!parseRange(launch)) return launch
  await using part = await openPartFolder(options.folder)
  const place = { server: parseServerId(slug), part }
  return { ...launch, version: await resolvePythonVersion(options, launch, place, signal) }
}

async function pinDigest(
  options: PackagesOptions,
  slug: string,
  launch: ImageLaunch,
  signal: AbortSignal,
): Promise<Installable> {
  if (isPinned(launch)) return launch
  const wanted = parseWantedImage(slug, launch)
  await using part = await openPartFolder(options.folder)
  return { ...launch, version: await resolveDigest(options, wanted, part, signal) }
}

type Recorder = (kind: AuditKind, subject: string, details?: JsonObject) => void

/** Records tampering in the audit log, whichever caller found it. */
function recording(check: CheckFolder, record: Recorder): CheckFolder {
  return async (folder) => {
    try {
      return await check(folder)
    } catch (error) {
      if (error instanceof CordonError) record(TAMPERED, path.basename(folder))
      throw error
    }
  }
}

interface Place {
  readonly root: string
  readonly check: CheckFolder
  readonly limits: InstallLimits
  readonly record: Recorder
}

/** The receipt of a folder that exists and is unchanged; installs a missing one. */
async function provide(
  plan: InstallPlan,
  { root, check, limits, record }: Place,
  progress: InstallProgress,
  signal: AbortSignal,
): Promise<Receipt> {
  const folder = path.join(root, plan.name)
  if (existsSync(folder)) return await check(folder)
  try {
    await using part = await openPartFolder(root)
    await using limited = await limitInstall(plan.what, part.folder, limits, signal)
    await takeLock(plan, part, { root, check })
    await plan.build(part, progress, limited.signal)
    await limited.check()
    record('catalog.installed', plan.name, detailsOf(await readReceipt(part.tree)))
    await part.finish(folder)
  } catch (error) {
    throw explainDisk(plan.what, error)
  }
  return await check(folder)
}

/** Scripts come with the very dependencies that the owner looked at: nothing is resolved a second time. */
async function takeLock(
  { lockOf, package: name }: InstallPlan,
  part: PartFolder,
  { root, check }: Pick<Place, 'root' | 'check'>,
): Promise<void> {
  const folder = path.join(root, lockOf ?? '')
  if (lockOf === undefined || !existsSync(folder)) return
  const receipt = await check(folder)
  if (receipt.package === name) await copyLock(folder, part.tree)
}

/** Includes the manifest's pin: an attacker who rewrites a folder and its receipt leaves this record. */
function detailsOf(receipt: Receipt): JsonObject {
  const { package: name, version, integrity, manifest, packages } = receipt
  return { package: name, version, integrity, manifest, packages }
}

/** Also for a folder that existed already: its package or hash may differ from the wanted one. */
async function describe(
  plan: InstallPlan,
  folder: string,
  receipt: Receipt,
): Promise<InstalledPackage> {
  const { what, integrity } = plan
  if (plan.package !== receipt.package) {
    const other = JSON.stringify(receipt.package)
    throw cannotInstall('name-taken', what, `${other} is installed under that name`)
  }
  if (integrity !== undefined && integrity !== receipt.integrity) {
    throw cannotInstall('integrity', what, 'what is installed is not the pinned archive')
  }
  const entry = await plan.findEntry(folder).catch((cause: unknown) => {
    throw cannotInstall('bad-package', what, reasonOf(cause, 'its program cannot be read'), cause)
  })
  const mcpName = await plan.readMcpName?.(folder)
  const namedSettings = (await plan.readNamedSettings?.(folder)) ?? []
  const { format: _format, ...facts } = receipt
  return {
    folder,
    entry,
    ...facts,
    ...(mcpName !== undefined && { mcpName }),
    ...(namedSettings.length > 0 && { namedSettings }),
  }
}

/** Accepts only a folder directly below the root. */
function ownFolder(root: string, folder: string): string {
  const name = path.basename(folder)
  if (path.resolve(folder) !== path.join(root, name) || name.startsWith('.')) throw notOurs(folder)
  return path.join(root, name)
}
