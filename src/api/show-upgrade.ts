/** The differences of a newer version as lines for people, in a terminal or a chat. Pure; the caller prints them safely. */
import type { NameChanges, UpgradePlan, VersionFacts } from '../ports/upgrade-port.ts'

const MOST_NAMES = 8
const DAY_MS = 24 * 60 * 60_000
const YOUNG_DAYS = 3

export function showPlan(plan: UpgradePlan, now: number): readonly string[] {
  const { package: name, before, after, named } = plan
  return [
    `${plan.server}: ${name} ${before.version} → ${after.version}`,
    ...showPublisher(before, after),
    ...showProof(before, after),
    ...showAge(after, now),
    ...(after.deprecated === undefined
      ? []
      : [`⚠️ Its publisher says not to use it: ${JSON.stringify(after.deprecated)}`]),
    `files: ${showFiles(plan)}`,
    ...named.map((one) => `  ${one}`),
    ...(isImage(plan) ? [] : showNames('packages', plan.parts, 'the same')),
    `size: ${megabytes(before.bytes)} → ${megabytes(after.bytes)}`,
    ...(isImage(plan) ? [] : showNames('install scripts', plan.scripts, 'none new')),
    ...showScripts(plan),
    ...showNames('hosts named in its code', plan.hosts, plan.unread > 0 ? 'none new' : 'the same'),
    ...showUnread(plan),
    ...(plan.tried.length > 0 ? [`hosts it tried to reach in a trial: ${list(plan.tried)}`] : []),
    ...showTools(plan),
  ]
}

/** The packages inside an image are not known one by one, and pulling it runs none of its programs. */
function isImage({ after }: UpgradePlan): boolean {
  return after.version.startsWith('sha256:')
}

function showPublisher(
  { publisher: old }: VersionFacts,
  { publisher }: VersionFacts,
): readonly string[] {
  if (old === publisher) return old === undefined ? [] : [`publisher: ${old}, as before`]
  return [`⚠️ publisher: ${old ?? 'unknown'} → ${publisher ?? 'unknown'}`]
}

function showProof({ provenBy: old }: VersionFacts, { provenBy }: VersionFacts): readonly string[] {
  if (old === provenBy) return old === undefined ? [] : [`built from: ${old}, as before`]
  const change = `built from: ${old ?? 'not proven'} → ${provenBy ?? 'not proven'}`
  return [old === undefined ? change : `⚠️ ${change}`]
}

function showAge({ publishedAt }: VersionFacts, now: number): readonly string[] {
  const days = publishedAt === undefined ? Number.NaN : (now - Date.parse(publishedAt)) / DAY_MS
  if (Number.isNaN(days)) return []
  const age = days < 1 ? 'less than a day ago' : `${Math.floor(days)} days ago`
  return [
    days < YOUNG_DAYS
      ? `⚠️ published ${age}: bad releases are mostly found within days`
      : `published ${age}`,
  ]
}

/** Files that scripts built are in the version in use, and not yet in the one that is looked at. */
function showFiles({ files: { added, removed, changed }, willRun }: UpgradePlan): string {
  const built = willRun.length > 0 ? ' (removed: also what its install scripts built)' : ''
  return `${added} added, ${removed} removed, ${changed} changed${built}`
}

function showScripts({ willRun }: UpgradePlan): readonly string[] {
  if (willRun.length === 0) return []
  return [`⚠️ install scripts that run when you take it, without network: ${list(willRun)}`]
}

function showNames(what: string, { added, removed }: NameChanges, none: string): readonly string[] {
  if (added.length + removed.length === 0) return [`${what}: ${none}`]
  const parts = [
    ...(added.length > 0 ? [`new: ${list(added)}`] : []),
    ...(removed.length > 0 ? [`gone: ${list(removed)}`] : []),
  ]
  return [`${what}: ${parts.join('; ')}`]
}

function showUnread({ unread }: UpgradePlan): readonly string[] {
  if (unread === 0) return []
  const files = unread === 1 ? '1 file of its code was' : `${unread} files of its code were`
  return [`⚠️ ${files} too large to be read for hosts`]
}

function showTools({ tools, toolsUnknown }: UpgradePlan): readonly string[] {
  if (!tools)
    return [`tools: not known before it runs with its credentials (${toolsUnknown ?? ''})`]
  if (tools.length === 0) return ['tools: the same']
  const words = tools.map(({ name, before, now }) => {
    return `${name} ${now ? (before ? 'changes' : 'is new') : 'goes'}`
  })
  return [`tools: ${list(words)}`]
}

function list(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
