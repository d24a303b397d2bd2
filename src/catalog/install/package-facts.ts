/** The registry's claims about one version of a package. Untrusted: shown and compared, never more. */
import { z } from 'zod'

export interface PackageFacts {
  readonly integrity?: string
  readonly publisher?: string
  /** ISO time of this version. */
  readonly publishedAt?: string
  /** The registry's signatures over the archive, not verified yet. */
  readonly signatures?: readonly { readonly keyid: string; readonly sig: string }[]
  /** Whether the registry announces a build provenance attestation. */
  readonly hasProvenance: boolean
  /** The warning of its publisher not to use this version. */
  readonly deprecated?: string
}

const Facts = z.object({
  dist: z
    .object({
      integrity: z.string().optional().catch(undefined),
      signatures: z
        .array(z.object({ keyid: z.string().max(200), sig: z.string().max(500) }))
        .max(10)
        .optional()
        .catch(undefined),
      attestations: z
        .object({ provenance: z.object({}) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  _npmUser: z.unknown().optional(),
  time: z.record(z.string(), z.unknown()).optional().catch(undefined),
  deprecated: z.string().optional().catch(undefined),
})

const LONGEST_WARNING = 300

/** The fields to ask `npm view` for. */
export const FACT_FIELDS = ['dist', '_npmUser', 'time', 'deprecated'] as const

/** Parses the output of `npm view NAME@VERSION … --json`; undefined if it is not an answer. */
export function parsePackageFacts(stdout: string, version: string): PackageFacts | undefined {
  const found = Facts.safeParse(firstOf(parseJson(stdout)))
  if (!found.success) return undefined
  const { dist = {}, _npmUser, time = {}, deprecated } = found.data
  const integrity = sha512Of(dist.integrity)
  const publisher = publisherOf(_npmUser)
  const publishedAt = isoTime(time[version])
  const signatures = dist.signatures ?? []
  return {
    ...(integrity !== undefined && { integrity }),
    ...(publisher !== undefined && { publisher }),
    ...(publishedAt !== undefined && { publishedAt }),
    ...(signatures.length > 0 && { signatures }),
    hasProvenance: dist.attestations !== undefined,
    ...(deprecated && { deprecated: deprecated.slice(0, LONGEST_WARNING) }),
  }
}

/** Parses the output of `npm view NAME@TAG version --json`: the newest matching version. */
export function parseVersion(stdout: string): string | undefined {
  const version = firstOf(parseJson(stdout))
  return typeof version === 'string' ? version : undefined
}

const SHA512 = /(?:^|\s)(sha512-[A-Za-z0-9+/]{86}==)(?:\s|$)/

/** The SHA-512, of the several hashes that an integrity field may list. */
export function sha512Of(integrity: string | undefined): string | undefined {
  return integrity === undefined ? undefined : SHA512.exec(integrity)?.[1]
}

/** npm prints a single match as a list or alone. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const NAME = /^[\w.@+-]{1,100}$/

/** `name <mail>` or an object. Only the name is shown, and only if it has the form of one. */
function publisherOf(user: unknown): string | undefined {
  const named = z.object({ name: z.string() }).safeParse(user)
  const text = named.success ? named.data.name : typeof user === 'string' ? user : ''
  const name = text.split(' <')[0]?.trim() ?? ''
  return NAME.test(name) ? name : undefined
}

function isoTime(value: unknown): string | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
