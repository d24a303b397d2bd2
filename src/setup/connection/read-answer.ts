/**
 * Interprets a message while a credential or a setting is asked for. Pure. A message that is not clearly an answer is
 * ordinary and passes by; but a message that contains a token never does.
 */
import { RE2JS } from 're2js'
import { seenText } from '../../text/untrusted-text.ts'
import { parseSecretRef, type SecretRef } from '../../kernel/secret-ref.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import { hostsIn } from '../../text/address-hosts.ts'
import { knownSlug } from '../resolve/account.ts'
import type { Entry } from './connection.ts'

const CANCEL_WORDS: ReadonlySet<string> = new Set(['cancel', 'nevermind', 'skip', 'abort'])
const SHORTEST = 15
const LONGEST = 500
const MOSTLY = 0.9
/** How much longer than a known prefix a word is before it is taken for a token. */
const BEYOND_PREFIX = 4
/** Characters that do not occur in tokens. */
const BETWEEN_WORDS = /[^\w.~+-]+/
const LONGEST_SETTING = 500

export type Answer =
  | { readonly kind: 'ordinary' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'value'; readonly value: string }
  /** A token with white space inside, or with other words around it. */
  | { readonly kind: 'in-pieces' }
  /** A token, but of another service. */
  | { readonly kind: 'of-another'; readonly title: string }
  /** An address whose hosts cannot be reached. */
  | { readonly kind: 'no-way'; readonly fault: string }
  /** A folder or file that cannot be used. */
  | { readonly kind: 'no-place'; readonly fault: string }
  /** A token in answer to a plain setting, which is not kept secret. */
  | { readonly kind: 'misplaced' }

export function isCancelWord(text: string): boolean {
  return CANCEL_WORDS.has(text.trim().toLowerCase())
}

export function readAnswer(service: Service, need: CredentialNeed, entry: Entry): Answer {
  const { tokenOf } = entry
  const text = entry.text.trim()
  if (isCancelWord(text)) return { kind: 'cancel' }
  if (need.secret === undefined) return readSetting(service, need, entry)
  if (isKnownToken(need, text) || outsideRef(text)) return usable(need, text)
  const owner = foreignOwner(service, need, entry)
  if (owner !== undefined) return { kind: 'of-another', title: owner }
  if (looksLikeCredential(text)) return { kind: 'value', value: text }
  const isBroken = tokenOf !== undefined || isInPieces(need, text)
  return isBroken ? { kind: 'in-pieces' } : { kind: 'ordinary' }
}

function placeAnswer({ text, place }: Entry): Answer {
  if (!place) return { kind: 'ordinary' }
  return place.kind === 'fault'
    ? { kind: 'no-place', fault: place.fault }
    : { kind: 'value', value: text }
}

/** Completes "Cannot use that …: ". */
function faultInPlace({ place: what }: CredentialNeed, { place }: Entry): string | undefined {
  if (place) return place.kind === 'fault' ? place.fault : undefined
  return what === 'access'
    ? 'that: answer read or write'
    : 'that: write the whole path, from / or ~/'
}

/** The service whose token was entered for this one, unless any token may be. */
function foreignOwner(
  service: Service,
  { takesAnyToken }: CredentialNeed,
  { tokenOf }: Entry,
): string | undefined {
  const isForeign = tokenOf && tokenOf.slug !== knownSlug(service) && takesAnyToken !== true
  return isForeign ? tokenOf.title : undefined
}

function usable(need: CredentialNeed, text: string): Answer {
  const fault = faultInAddress(need, text)
  return fault === undefined ? { kind: 'value', value: text } : { kind: 'no-way', fault }
}

/** The reason why an explicit answer cannot be used; undefined if it can. Never quotes the answer. */
export function faultIn(service: Service, need: CredentialNeed, entry: Entry): string | undefined {
  const text = entry.text.trim()
  if (text === '') return 'it is empty'
  if (need.secret === undefined) return faultInSetting(service, need, entry)
  if (outsideRef(text) || isKnownToken(need, text)) {
    const fault = faultInAddress(need, text)
    return fault === undefined ? undefined : `it ${fault}`
  }
  if (/\s/.test(text)) return 'it has spaces or line breaks in it'
  const owner = foreignOwner(service, need, entry)
  if (owner !== undefined) return `it is a token of ${owner}`
  const prefixes = need.prefixes.map((prefix) => `'${prefix}'`).join(' or ')
  return prefixes === '' ? undefined : `expected ${need.title} starting with ${prefixes}`
}

/** Completes "it …". */
function faultInAddress({ isAddress }: CredentialNeed, text: string): string | undefined {
  if (isAddress !== true) return undefined
  if (outsideRef(text)) return 'is kept elsewhere, and its hosts have to be known'
  const found = hostsIn(text)
  return found.kind === 'fault' ? found.fault : undefined
}

function faultInSetting(service: Service, need: CredentialNeed, entry: Entry): string | undefined {
  if (holdsToken(service, entry)) return 'it is a token'
  if (need.place !== undefined) return faultInPlace(need, entry)
  const text = entry.text.trim()
  const { pattern } = need
  const fits = pattern === undefined ? isOneLine(text) : matches(pattern, text)
  return fits ? undefined : 'it does not look like one'
}

/** One short line without invisible characters. */
function isOneLine(text: string): boolean {
  return text.length <= LONGEST_SETTING && seenText(text) === text && !/[\t\n]/.test(text)
}

/** A file or a variable that holds the credential, instead of the credential: `file:~/.github_token`. */
export function outsideRef(text: string): SecretRef | undefined {
  if (!/^(?:file|env):\S+$/.test(text)) return undefined
  try {
    return parseSecretRef(text)
  } catch {
    return undefined
  }
}

/** A setting is a single word: anything longer is conversation. */
function readSetting(service: Service, { pattern, place }: CredentialNeed, entry: Entry): Answer {
  const text = entry.text.trim()
  if (holdsToken(service, entry)) return { kind: 'misplaced' }
  if (place !== undefined) return placeAnswer(entry)
  const fits = pattern === undefined ? /^\S{1,500}$/.test(text) : matches(pattern, text)
  return fits ? { kind: 'value', value: text } : { kind: 'ordinary' }
}

function holdsToken({ credentials }: Service, { text, tokenOf }: Entry): boolean {
  if (tokenOf) return true
  const secrets = credentials.filter(({ secret }) => secret !== undefined)
  const words = text.trim().split(BETWEEN_WORDS)
  return secrets.some((need) => words.some((word) => isKnownToken(need, word)))
}

function isKnownToken(need: CredentialNeed, text: string): boolean {
  if (need.pattern !== undefined && matches(need.pattern, text)) return true
  return !/\s/.test(text) && startsLikeToken(need, text)
}

function startsLikeToken({ prefixes }: CredentialNeed, word: string): boolean {
  return prefixes.some(
    (prefix) => word.startsWith(prefix) && word.length >= prefix.length + BEYOND_PREFIX,
  )
}

/** For a token of unknown shape: long, without white space, and with hardly any punctuation. */
function looksLikeCredential(text: string): boolean {
  if (text.length < SHORTEST || text.length > LONGEST || /\s/.test(text)) return false
  if (/^https?:\/\//i.test(text)) return false // a link is no token
  const unusual = text.replaceAll(/[\p{L}\p{N}\-_.:=+/]/gu, '').length
  return 1 - unusual / text.length > MOSTLY
}

function isInPieces(need: CredentialNeed, text: string): boolean {
  if (!/\s/.test(text)) return false
  const words = text.split(BETWEEN_WORDS)
  if (words.some((word) => startsLikeToken(need, word))) return true
  const joined = text.replaceAll(/\s+/g, '')
  if (need.pattern !== undefined && matches(need.pattern, joined)) return true
  // A token that was wrapped: every line consists of token characters.
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  return lines.length > 1 && lines.every((line) => /^[\w.:=+/-]{8,}$/.test(line)) && /\d/.test(text)
}

function matches(pattern: string, text: string): boolean {
  return RE2JS.compile(pattern).matches(text)
}
