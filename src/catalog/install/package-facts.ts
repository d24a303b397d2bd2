/** What the registry says about one version of a package. Claims of strangers, to be shown and compared; never more. */
import { z } from 'zod'

export interface PackageFacts {
  readonly integrity?: string
  readonly publisher?: string
  /** ISO time of this version. */
  readonly publishedAt?: string
  /** Whether the registry has a statement of where it was built. What it states is not looked at. */
  readonly hasProvenance: boolean
}

const Facts = z.object({
  dist: z
    .object({
      integrity: z.string().optional().catch(undefined),
      attestations: z
        .object({ provenance: z.object({}) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  _npmUser: z.unknown().optional(),
  time: z.record(z.string(), z.unknown()).optional().catch(undefined),
})

/** The fields to ask `npm view` for. */
export const FACT_FIELDS = ['dist', '_npmUser', 'time'] as const

/** Takes what `npm view NAME@VERSION … --json` prints; undefined where that is no answer. */
export function parsePackageFacts(stdout: string, version: string): PackageFacts | undefined {
  const found = Facts.safeParse(firstOf(parseJson(stdout)))
  if (!found.success) return undefined
  const { dist, _npmUser, time } = found.data
  const integrity = sha512Of(dist?.integrity)
  const publisher = publisherOf(_npmUser)
  const publishedAt = isoTime(time?.[version])
  return {
    ...(integrity !== undefined && { integrity }),
    ...(publisher !== undefined && { publisher }),
    ...(publishedAt !== undefined && { publishedAt }),
    hasProvenance: dist?.attestations !== undefined,
  }
}

/** Takes what `npm view NAME@TAG version --json` prints: the newest of those that fit. */
export function parseVersion(stdout: string): string | undefined {
  const version = firstOf(parseJson(stdout))
  return typeof version === 'string' ? version : undefined
}

const SHA512 = /(?:^|\s)(sha512-[A-Za-z0-9+/]{86}==)(?:\s|$)/

/** The one hash that counts, of the several an integrity may list. */
export function sha512Of(integrity: string | undefined): string | undefined {
  return integrity === undefined ? undefined : SHA512.exec(integrity)?.[1]
}

/** npm prints one match as a list of one, or alone. */
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

/** `name <mail>` or an object. Only the name is shown, and only where it is one. */
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
