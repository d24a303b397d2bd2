/** The words in which a known service is written down: its file says what is particular to it, the rest is filled in here. */
import type { ToolOverride } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type {
  CredentialNeed,
  OAuthMethod,
  Service,
  ServiceLaunch,
} from '../kernel/service-facts.ts'

/** What every file states; what it may leave out. */
type Facts = Pick<Service, 'title' | 'about' | 'launch' | 'domains'> &
  Partial<Omit<Service, 'slug' | 'origin' | 'source'>> & { readonly slug: string }

export function knownService(facts: Facts): Service {
  return {
    aliases: [],
    label: 'internal',
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

/** A package at exactly this version and with exactly these bytes. */
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

/** Not a secret, but only the owner knows it. */
export function setting(key: string, title: string, facts: NeedFacts = {}): CredentialNeed {
  return { required: true, ...facts, key, title, prefixes: [] }
}

/** Tools known to change nothing, where the server itself does not say so or says otherwise. */
export function reads(...names: readonly string[]): Readonly<Record<string, ToolOverride>> {
  return Object.fromEntries(names.map((name) => [name, { semantics: 'read' as const }]))
}

/** Google's own sign-in. The client id is the owner's: Google hands out none for programs like this one. */
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
