/**
 * Services that are not in the catalog: of a registry, or pasted. What strangers wrote is cut to one line before anyone
 * sees it, and their secrets are kept under a name that says whose they are, so that none of them is ever lent a token
 * that was stored for somebody else.
 */
import { hash } from 'node:crypto'
import { seenLine } from '../text/untrusted-text.ts'
import { SECRET_NAME } from '../kernel/secret-ref.ts'
import { type ServerId, serverIdFor } from '../kernel/server-id.ts'
import type { CredentialNeed, Service } from '../kernel/service-facts.ts'
import { KNOWN_SERVICES } from './known-services.ts'
import { createNameBook } from './name-book.ts'
import { nameWords } from '../text/secret-name.ts'

type Facts = Pick<Service, 'slug' | 'title' | 'origin' | 'source' | 'launch'> & Partial<Service>

export function strangerService(facts: Facts): Service {
  return {
    about: '',
    aliases: [],
    label: 'internal',
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

/** For whoever is about to connect one. */
export const UNKNOWN =
  'Cordon does not know this server: look at who published it before you trust it with anything.'

const BOOK = createNameBook(KNOWN_SERVICES)
const MAX_TITLE = 60
const MAX_ABOUT = 200

/** As its publisher puts it; but under a title that a known service has, or that passes for one, it is shown by its name. */
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

/** The first of these names that makes a slug no known service has. */
export function freeSlug(...names: readonly string[]): ServerId {
  const slugs = names.flatMap((name) => (/[a-z0-9]/i.test(name) ? [serverIdFor(name)] : []))
  const free = slugs.find((slug) => !TAKEN.has(slug))
  return free ?? serverIdFor(`${slugs[0] ?? 'server'}-2`)
}

/** `@acme/mcp-server-tracker` becomes `tracker`; empty where nothing of its own is left. */
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

/** For people, who never see the names of environment variables: `ACME_API_KEY` becomes `acme api key`. */
export function titleFor(key: string): string {
  const words = nameWords(key.replace(/^header:/, ''))
  return words.join(' ') === 'bearer' ? 'token' : words.join(' ') || 'setting'
}

/** Leaves room for the name of the server before it. */
const MAX_SECRET_NAME = 60

function secretName(whose: string, key: string): string {
  const name = `${whose}/${nameWords(key).join('_') || 'token'}`.replace(/[^A-Za-z0-9._/@-]+/g, '-')
  const isUsable = name.length <= MAX_SECRET_NAME && SECRET_NAME.test(name)
  return isUsable ? name : `found/${hash('sha256', name, 'hex').slice(0, 40)}`
}
