/** Builders for the files of known services: a file states the particulars of its service, the rest is default. */
import type { ToolOverride } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { CredentialNeed, OAuthMethod, Service, ServiceLaunch } from '../ports/service-facts.ts'

/** The required fields of every file, and the optional ones. */
type Facts = Pick<Service, 'title' | 'about' | 'launch' | 'domains'> &
  Partial<Omit<Service, 'slug' | 'origin' | 'source'>> & { readonly slug: string }

export function knownService(facts: Facts): Service {
  return {
    aliases: [],
    // Most services hold what only their owner should see; a file says so if its service does not.
    label: 'sensitive',
    telemetryDomains: [],
    credentials: [],
    oauth: [],
    env: {},
    tools: {},
    notes: [],
    ...facts,
    slug: parseServerId(facts.slug),
    origin: 'catalog',
    source: { kind: 'catalog', name: facts.slug },
  }
}

/** A package pinned to exactly this version and these bytes. */
export function npm(
  name: string,
  version: string,
  integrity: string,
  program: { readonly bin?: string; readonly args?: readonly string[] } = {},
): ServiceLaunch {
  return { kind: 'npm', package: name, version, integrity, args: [], ...program }
}

/** A package that comes with Cordon; the lockfile names the same version and bytes. */
export function shipped(
  name: string,
  version: string,
  program: { readonly integrity?: string; readonly args?: readonly string[] } = {},
): ServiceLaunch {
  return { kind: 'npm', package: name, version, args: [], ...program, isShipped: true }
}

export function remote(url: string): ServiceLaunch {
  return { kind: 'remote', url, transport: 'stream-http' }
}

type NeedFacts = Partial<Omit<CredentialNeed, 'key' | 'secret'>>

/** Kept in the vault under `secret`. */
export function token(key: string, secret: string, facts: NeedFacts): CredentialNeed {
  const prefixes = (facts.prefixes ?? []).toSorted((a, b) => b.length - a.length)
  return { title: 'token', required: true, ...facts, key, secret, prefixes }
}

/** Not a secret, but only the owner knows the value. */
export function setting(key: string, title: string, facts: NeedFacts = {}): CredentialNeed {
  return { required: true, ...facts, key, title, prefixes: [] }
}

const ACCESS = 'read, or write to let it change what is there'
const PATHS = 'A path on this machine, such as ~/notes; several with commas between them'
const PATH = 'A path on this machine, such as ~/data/shop.db; it is made if there is none'

/** Folders that the server may use, and whether it may change them. */
export const FOLDERS: readonly CredentialNeed[] = [
  { ...setting('FOLDERS', 'folder', { where: PATHS }), place: 'folders' },
  { ...setting('ACCESS', 'access', { where: ACCESS }), place: 'access' },
]

/** A database file that the server opens, and whether it may change it. */
export const DATABASE_FILE: readonly CredentialNeed[] = [
  { ...setting('FILE', 'database file', { where: PATH }), place: 'file' },
  { ...setting('ACCESS', 'access', { where: ACCESS }), place: 'access' },
]

type Tools = Readonly<Record<string, ToolOverride>>

/** Tools known to change nothing. Each argument holds one or several names, separated by white space. */
export function reads(...names: readonly string[]): Tools {
  return each(names, { semantics: 'read' })
}

/** One such tool, with a description of our own. */
export function read(description: string): ToolOverride {
  return { semantics: 'read', description }
}

/** Tools whose changes can be undone: what they create can be removed, what they change is kept or can be set again. */
export function writes(...names: readonly string[]): Tools {
  return each(names, { semantics: 'write' })
}

/** Tools that run the commands or code they are given. */
export function runs(...names: readonly string[]): Tools {
  return each(names, { semantics: 'exec' })
}

/** Reads whose structured answers hold, in these fields, values that the service itself generated, such as ids. */
export function gives(fields: readonly string[], ...names: readonly string[]): Tools {
  return each(names, { semantics: 'read', fields })
}

/** For a tool whose server answers with JSON in a text; `fields` are the values that the service itself generated. */
export function json(...fields: readonly string[]): Pick<ToolOverride, 'answers' | 'fields'> {
  return { answers: 'json', fields: fields.flatMap((text) => text.trim().split(/\s+/)) }
}

/** Paths in the answer of a tool that list the people or channels of the service. */
export function directory(...fields: readonly string[]): Pick<ToolOverride, 'directory'> {
  return { directory: fields }
}

/** Reads that answer with JSON in a text. */
export function givesJson(fields: string, ...names: readonly string[]): Tools {
  return each(names, { semantics: 'read', ...json(fields) })
}

/** Reviewed tools whose own server's hints overstate their effect. */
export function despiteHints(tools: Tools): Tools {
  const entries = Object.entries(tools).map(([name, tool]) => [name, { ...tool, hints: 'ignored' }])
  return Object.fromEntries(entries) as Tools
}

function each(names: readonly string[], tool: ToolOverride): Tools {
  const single = names.flatMap((text) => text.trim().split(/\s+/))
  return Object.fromEntries(single.map((name) => [name, tool]))
}

/** Google's own sign-in. The client id is the owner's: Google issues none for a program like this one. */
export function google(
  key: string,
  identity: { readonly url: string; readonly field: string },
  ...scopes: readonly string[]
): OAuthMethod {
  return {
    kind: 'code',
    provider: 'google',
    identity,
    register: {
      where:
        'Make one of the kind "Desktop app": console.cloud.google.com → APIs & Services → Credentials → Create credentials → OAuth client ID',
      hasSecret: true,
    },
    // Without `offline` Google gives no refresh token; without `select_account` it takes the account of last time.
    authorizeUrl:
      'https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&prompt=consent%20select_account',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    revokeUrl: 'https://oauth2.googleapis.com/revoke',
    scopes: scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`),
    key,
  }
}
