/**
 * The index of known services by name. Names of people's choice are folded before comparison; package names, images and
 * domains are not: there one more dot or dash is another identifier, and may belong to an attacker.
 */
import { domainToUnicode } from 'node:url'
import type { Service } from '../ports/service-facts.ts'
import { eyeName, foldName, plainName } from '../text/look-alike.ts'
import { editDistance } from '../text/edit-distance.ts'
import { isDoublingOf, isSwapOf } from './near-names.ts'

export interface NameIndex {
  find(name: string): Service | undefined
  /** By npm package, domain or another identifier that must match exactly. */
  findExact(identifier: string): Service | undefined
  suggest(name: string): readonly string[]
  imitates(name: string): Service | undefined
}

/** Shorter names resemble too many others. */
const SHORTEST_IMITATED = 5
const MAX_NAME = 214
/** `notion mcp server` means Notion; the package `notion-mcp-server` may be anyone's. */
const GENERIC_WORDS = /\b(?:mcp|server)\b/gi
const MAX_SUGGESTIONS = 3

export function createNameIndex(services: readonly Service[]): NameIndex {
  const words = new Map<string, Service>()
  const identifiers = new Map<string, Service>()
  for (const service of services) {
    for (const name of namesOf(service)) {
      const [names, key] = isIdentifier(name)
        ? [identifiers, name.toLowerCase()]
        : [words, foldName(name)]
      if (!names.has(key)) names.set(key, service)
    }
  }
  const findExact = (name: string): Service | undefined =>
    identifiers.get(name.trim().toLowerCase())
  const find = (name: string): Service | undefined => {
    if (isIdentifier(name.trim())) return findExact(name)
    return words.get(foldName(name)) ?? words.get(foldName(name.replace(GENERIC_WORDS, '')))
  }

  return {
    find,
    findExact,
    suggest: (name) => suggest(services, foldName(name.slice(0, MAX_NAME))),
    imitates(name) {
      if (name.length > MAX_NAME) return undefined
      if (findExact(name) ?? words.get(plainName(name))) return undefined
      return services.find((service) => passesFor(name, service))
    },
  }
}

/** A package, an image or a domain, rather than a plain name. */
function isIdentifier(name: string): boolean {
  return /[@/:]|[^\s.]\.[^\s.]/.test(name) || /(?:^|-)mcp(?:-|$)/.test(name)
}

function namesOf({ slug, title, aliases, launch }: Service): readonly string[] {
  return [slug, title, ...aliases, ...(launch.kind === 'npm' ? [launch.package] : [])]
}

function suggest(services: readonly Service[], name: string): readonly string[] {
  if (name === '') return []
  const reach = Math.max(1, Math.floor(name.length / 3))
  return services
    .filter(({ slug }) => !slug.endsWith('-remote'))
    .map((service) => ({ slug: service.slug, distance: distanceTo(service, name) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ slug }) => slug)
}

function distanceTo(service: Service, name: string): number {
  const known = namesOf(service).filter((one) => !isIdentifier(one))
  return Math.min(...known.map((one) => nearness(name, foldName(one))))
}

/** A prefix of a name counts like a name with one mistake. */
function nearness(name: string, known: string): number {
  if (name.length >= 3 && known.startsWith(name)) return 1
  return known.length < 3 ? Infinity : editDistance(name, known)
}

function passesFor(name: string, { slug, title, launch, credentials }: Service): boolean {
  const names = [slug, title].filter((one) => plainName(one).length >= SHORTEST_IMITATED)
  const parts = [name, ...partsOf(name)]
  if (names.some((known) => parts.some((part) => resembles(part, known)))) return true
  const takesSecret = credentials.some(({ secret }) => secret !== undefined)
  if (takesSecret && borrowedName(name) === plainName(slug)) return true
  return launch.kind === 'npm' && resembles(name, launch.package, name !== launch.package)
}

/** `github-mcp-server`: an unscoped package with the name of a known service that needs a token, so worth imitating. */
function borrowedName(name: string): string | undefined {
  if (!/^[a-z0-9-]*\bmcp\b[a-z0-9-]*$/i.test(name)) return undefined
  return plainName(name.replace(GENERIC_WORDS, ''))
}

/** The words of a domain or package name, since each can imitate a known name. Punycode is decoded first. */
function partsOf(name: string): readonly string[] {
  const readable = name.includes('xn--') ? domainToUnicode(name) : name
  return readable.split(/[^\p{L}\p{N}]+/u)
}

/** `isOther`: the two names are known to be different, even if they fold to the same. */
function resembles(
  name: string,
  known: string,
  isOther = plainName(name) !== plainName(known),
): boolean {
  if (!isOther) return false
  if (foldName(name) === foldName(known) || eyeName(name) === eyeName(known)) return true
  const [plain, knownPlain] = [plainName(name), plainName(known)]
  return isSwapOf(plain, knownPlain) || isDoublingOf(plain, knownPlain)
}
