/**
 * Services that are not in the catalog: from a registry, or pasted. Untrusted text is cut to one line before it is
 * shown, and secrets are stored under a name that includes the source, so that no server is ever lent a token of
 * another.
 */
import { hash } from 'node:crypto'
import { seenLine } from '../text/untrusted-text.ts'
import { SECRET_NAME } from '../kernel/secret-ref.ts'
import { type ServerId, serverIdFor } from '../kernel/server-id.ts'
import type { CredentialNeed, Service } from '../ports/service-facts.ts'
import { KNOWN_SERVICES } from './known-services.ts'
import { createNameIndex } from './name-index.ts'
import { nameWords } from '../text/secret-name.ts'

type Facts = Pick<Service, 'slug' | 'title' | 'origin' | 'source' | 'launch'> & Partial<Service>

export function strangerService(facts: Facts): Service {
  return {
    about: '',
    aliases: [],
    label: 'sensitive',
    domains: [],
    telemetryDomains: [],
    credentials: [],
    oauth: [],
    env: {},
    tools: {},
    notes: [],
    ...facts,
  }
}

/** Shown before an unknown server is connected. */
export const UNKNOWN =
  'Cordon does not know this server: look at who published it before you trust it with anything.'

const BOOK = createNameIndex(KNOWN_SERVICES)
const MAX_TITLE = 60
const MAX_ABOUT = 200

/** The publisher's title and description; a title that equals or imitates a known one is replaced by the name. */
export function wordsAbout(
  name: string,
  title: string | undefined,
  about: string | undefined,
): Pick<Service, 'title' | 'about'> {
  const line = seenLine(title ?? '', MAX_TITLE)
  const isBorrowed = (BOOK.find(line) ?? BOOK.imitates(line)) !== undefined
  return {
    title: line === '' || isBorrowed ? name : line,
    about: seenLine(about ?? '', MAX_ABOUT),
  }
}

const TAKEN: ReadonlySet<string> = new Set(KNOWN_SERVICES.map(({ slug }) => slug))

/** The first of these names whose slug no known service has. */
export function freeSlug(...names: readonly string[]): ServerId {
  const slugs = names.flatMap((name) => (/[a-z0-9]/i.test(name) ? [serverIdFor(name)] : []))
  const free = slugs.find((slug) => !TAKEN.has(slug))
  return free ?? serverIdFor(`${slugs[0] ?? 'server'}-2`)
}

/** `@acme/mcp-server-tracker` becomes `tracker`; empty if only generic words are left. */
export function ownWords(name: string): string {
  const last = name.split('/').at(-1) ?? ''
  const words = last.split(/[^A-Za-z0-9]+/)
  return words.filter((word) => !/^(?:mcp|server|)$/i.test(word)).join('-')
}

/** `whose` names the source: `npm/@acme/tracker`, `official/io.github.acme/tracker`, `site/tracker.example.com`. */
export function secretNeed(
  whose: string,
  key: string,
  facts: Partial<CredentialNeed>,
): CredentialNeed {
  return {
    title: titleFor(key),
    prefixes: [],
    required: true,
    ...facts,
    key,
    secret: secretName(whose, key),
  }
}

/** A readable title, since people never see variable names: `ACME_API_KEY` becomes `acme api key`. */
export function titleFor(key: string): string {
  const words = nameWords(key.replace(/^header:/, ''))
  return words.join(' ') === 'bearer' ? 'token' : words.join(' ') || 'setting'
}

/** Leaves room for the server's name as a prefix. */
const MAX_SECRET_NAME = 60

function secretName(whose: string, key: string): string {
  const name = `${whose}/${nameWords(key).join('_') || 'token'}`.replace(/[^A-Za-z0-9._/@-]+/g, '-')
  const isUsable = name.length <= MAX_SECRET_NAME && SECRET_NAME.test(name)
  return isUsable ? name : `found/${hash('sha256', name, 'hex').slice(0, 40)}`
}
