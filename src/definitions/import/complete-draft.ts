/**
 * Completes a draft from the catalog: a known package gets its hosts and settings, `mcp-remote` becomes the remote server
 * itself, and a line that Cordon cannot run is kept, disabled. Looks up nothing, installs nothing. A draft
 * may hold secrets, so no message repeats an argument.
 */
import type { Catalog } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import { hostsIn } from '../../text/address-hosts.ts'
import { looksSecret } from '../../text/looks-secret.ts'
import { parseRemoteBridge } from '../../text/remote-bridge.ts'
import { objectOf, type ServerDraft } from './server-draft.ts'

export interface CompletedDraft {
  readonly draft: ServerDraft
  /** The package that is installed at the first start: `@scope/name@1.2.3`. */
  readonly installs?: string
  /** The reason why the server cannot run yet, as a sentence. */
  readonly missing?: string
  /** The catalog knows which folders among its arguments it works in. */
  readonly knowsFolders?: boolean
  /** It has no credential yet, and the service wants a sign-in. */
  readonly wantsSignIn?: boolean
}

export function completeDraft(
  catalog: Pick<Catalog, 'parseLaunch'>,
  written: ServerDraft,
): CompletedDraft {
  const draft = withoutBridge(written)
  const service = recognise(catalog, draft)
  if (service instanceof CordonError) return disabled(draft, `${service.message}. ${service.hint}`)
  if (!service) return { draft }
  const { launch, origin } = service
  if (launch.kind === 'unsupported') return disabled(draft, launch.why)
  const known = origin === 'catalog' ? withFacts(draft, service) : draft
  if (!('package' in launch)) return { draft: known, wantsSignIn: wantsSignIn(known, service) }
  const separator = { npm: '@', pypi: ' ', image: launch.version.includes(':') ? '@' : ':' }
  const installs = `${launch.package}${separator[launch.kind]}${launch.version}`
  if (launch.kind === 'image') return { draft: withFolders(draft, launch), installs }
  if (origin !== 'catalog') return { draft, installs }
  const knowsFolders = service.credentials.some(({ place }) => place === 'folders')
  return { draft: withCredentials(known, service), installs, knowsFolders }
}

/** The folders of `-v`, to read: the line was written for a program that asks nobody. */
function withFolders(
  draft: ServerDraft,
  { shownAt = {} }: Extract<Service['launch'], { kind: 'image' }>,
): ServerDraft {
  const folders = Object.keys(shownAt)
  if (folders.length === 0) return draft
  const sandbox = { ...objectOf(draft.table['sandbox']), read_paths: folders }
  return {
    ...draft,
    table: { ...draft.table, sandbox },
    notes: [...draft.notes, `may read ${folders.join(', ')}, and change nothing there`],
  }
}

function recognise(
  { parseLaunch }: Pick<Catalog, 'parseLaunch'>,
  { command, args, url }: ServerDraft,
): Service | CordonError | undefined {
  try {
    return parseLaunch({
      args,
      ...(command !== undefined && { command }),
      ...(url !== undefined && { url }),
    })
  } catch (error) {
    if (error instanceof CordonError) return error
    throw error
  }
}

function disabled(draft: ServerDraft, missing: string): CompletedDraft {
  return { draft: { ...draft, table: { ...draft.table, enabled: false } }, missing }
}

/** `npx mcp-remote URL --header …` as the remote server; its headers are settled like those of any other. */
function withoutBridge(draft: ServerDraft): ServerDraft {
  const bridge = draft.command === undefined ? undefined : parseRemoteBridge(draft.args)
  if (!bridge) return draft
  const { command: _command, env, ...rest } = draft
  const fill = (text: string): string =>
    text.replace(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole)
  const headers = Object.entries(bridge.headers).map(([name, value]) => [name, fill(value)])
  const lost = bridge.lost.length === 0 ? [] : [`not carried over: ${bridge.lost.join(', ')}`]
  return {
    ...rest,
    table: { ...draft.table, transport: bridge.transport ?? transportOf(bridge.url) },
    url: bridge.url,
    args: [],
    env: {},
    headers: { ...draft.headers, ...(Object.fromEntries(headers) as Record<string, string>) },
    notes: [...draft.notes, 'is reached directly, without mcp-remote', ...lost],
  }
}

function transportOf(url: string): string {
  return /\/sse\/?$/.test(url) ? 'sse' : 'stream-http'
}

function withFacts(draft: ServerDraft, service: Service): ServerDraft {
  const { domains, label, about, memoryLimit, slug, launch } = service
  const facts = {
    description: about,
    label,
    ...(launch.kind === 'npm' && { allowed_domains: [...domains] }),
    ...(memoryLimit !== undefined && { limits: { memory: memoryLimit } }),
    source: { kind: 'catalog', name: slug },
  }
  const env = launch.kind === 'npm' ? { ...service.env, ...draft.env } : draft.env
  return replaced({ ...draft, facts, env }, service)
}

/** The catalog may know the package under a former name; then its successor is run. */
function replaced(draft: ServerDraft, { launch }: Service): ServerDraft {
  if (launch.kind !== 'npm') return draft
  const { package: name } = launch
  if (draft.args.some((arg) => arg === name || arg.startsWith(`${name}@`))) return draft
  const credentials = draft.args.filter((arg) => /^[a-z+]+:\/\//.test(arg))
  return {
    ...draft,
    command: 'npx',
    args: ['-y', name, ...launch.args, ...credentials],
    notes: [...draft.notes, `runs ${name}, the successor of the package in the file`],
  }
}

/** Credentials that stand in the arguments move to where the service looks for them; missing ones are asked for. */
function withCredentials(draft: ServerDraft, { credentials }: Service): ServerDraft {
  let result = draft
  for (const need of credentials) result = withCredential(result, need)
  return result
}

function withCredential(draft: ServerDraft, need: CredentialNeed): ServerDraft {
  const { key, secret } = need
  if (secret === undefined) return draft
  const given = draft.auth[key] ?? draft.env[key]
  if (given !== undefined) return withHosts(draft, need, given)
  const at = draft.args.findIndex((arg) => isMeant(need, arg))
  const value = draft.args[at]
  if (value === undefined) return isNeeded(draft, need) ? withSecret(draft, key, '') : draft
  const moved = withSecret({ ...draft, args: withoutFlag(draft.args, at) }, key, value)
  return withHosts(moved, need, value)
}

/** An empty value is asked for. */
function withSecret(draft: ServerDraft, key: string, value: string): ServerDraft {
  return { ...draft, auth: { ...draft.auth, [key]: value } }
}

/** Another secret may stand for the usual one: `OPENAPI_MCP_HEADERS` for Notion's token. */
function isNeeded({ env }: ServerDraft, { required }: CredentialNeed): boolean {
  return required && !Object.entries(env).some(([name, text]) => looksSecret(name, text))
}

/** The host of a database address is the one that the server has to reach. */
function withHosts(draft: ServerDraft, { isAddress }: CredentialNeed, value: string): ServerDraft {
  const reached = isAddress === true ? hostsIn(value) : undefined
  if (reached?.kind !== 'hosts') return draft
  return { ...draft, facts: { ...draft.facts, allowed_domains: reached.hosts } }
}

function isMeant({ prefixes }: CredentialNeed, arg: string): boolean {
  return prefixes.some((prefix) => arg.startsWith(prefix) && arg.length > prefix.length)
}

function withoutFlag(args: readonly string[], at: number): readonly string[] {
  const hasFlag = /^--?[A-Za-z][\w-]*$/.test(args[at - 1] ?? '') && args[at - 1] !== '-y'
  return args.filter((_, index) => index !== at && !(hasFlag && index === at - 1))
}

function wantsSignIn({ headers, auth, token }: ServerDraft, { credentials }: Service): boolean {
  const hasCredential = Object.keys({ ...headers, ...auth }).length > 0 || token !== undefined
  return credentials.some(({ required }) => required) && !hasCredential
}
