/** Builders for the files of known services: a file states the particulars of its service, the rest is default. */
import type { ToolOverride } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type {
  CredentialNeed,
  OAuthMethod,
  Service,
  ServiceLaunch,
} from '../kernel/service-facts.ts'

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
export function google(key: string, ...scopes: readonly string[]): OAuthMethod {
  return {
    kind: 'code',
    provider: 'google',
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    revokeUrl: 'https://oauth2.googleapis.com/revoke',
    scopes: scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`),
    key,
  }
}
