/**
 * What lies in the vault as `oauth/NAME`: the answer of a token endpoint, and all it takes to redeem it again later,
 * at the server that gave it and at no other. The vault itself lends only `access_token`, as `oauth:NAME`.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

export interface StoredToken {
  readonly access_token: string
  readonly token_type?: string | undefined
  readonly refresh_token?: string | undefined
  readonly scope?: string | undefined
  /** ISO, like every time here. */
  readonly expires_at?: string | null | undefined
  readonly obtained_at?: string | undefined
  /** Who gave it. For a provider without metadata, the origin of its pages. */
  readonly issuer?: string | undefined
  readonly token_endpoint?: string | undefined
  readonly revocation_endpoint?: string | undefined
  readonly client_id?: string | undefined
  /** A reference, never the secret itself. */
  readonly client_secret?: string | undefined
  readonly client_auth?: ClientAuth | undefined
  /** The remote MCP server that it is good for (RFC 8707). */
  readonly resource?: string | undefined
  /** What the service asked for besides; the next sign-in asks for it too. */
  readonly wanted_scope?: string | undefined
  /** The server does not take it any more: only the owner can get a new one. */
  readonly needs_authorization?: { readonly since: string; readonly reason: string } | undefined
}

/** How a client shows that it is itself; `none` for one that has no secret. */
const CLIENT_AUTHS = ['none', 'client_secret_post', 'client_secret_basic'] as const
export type ClientAuth = (typeof CLIENT_AUTHS)[number]

const time = z.iso.datetime({ offset: true })
/** A field that makes no sense is as good as none: what can still be used must not be lost over it. */
const text = z.string().min(1).optional().catch(undefined)
const url = z.url().optional().catch(undefined)

const storedToken: z.ZodType<StoredToken> = z.object({
  access_token: z.string().min(1),
  token_type: text,
  refresh_token: text,
  scope: text,
  expires_at: time.nullish(),
  obtained_at: time.optional().catch(undefined),
  issuer: text,
  token_endpoint: url,
  revocation_endpoint: url,
  client_id: text,
  client_secret: text,
  client_auth: z.enum(CLIENT_AUTHS).optional().catch(undefined),
  resource: text,
  wanted_scope: text,
  needs_authorization: z.object({ since: time, reason: z.string() }).optional().catch(undefined),
})

export function parseStoredToken(text: string): StoredToken | undefined {
  try {
    return storedToken.parse(JSON.parse(text))
  } catch {
    return undefined // neither the text nor what is wrong with it may travel: both may hold the token
  }
}

/** Tells one access token from another without holding either. */
export function hashToken(accessToken: string | Uint8Array): string {
  return createHash('sha256').update(accessToken).digest('hex')
}

const SKEW_MS = 60_000

/** When to get a new one: a minute before it expires, or a tenth of its life before where that is shorter. */
export function renewalTime({ expires_at, obtained_at }: StoredToken): number {
  if (!expires_at) return Number.POSITIVE_INFINITY
  const end = Date.parse(expires_at)
  const life = obtained_at === undefined ? Number.POSITIVE_INFINITY : end - Date.parse(obtained_at)
  return end - Math.min(SKEW_MS, Math.max(0, life / 10))
}

export function hasExpired({ expires_at }: StoredToken, now: number): boolean {
  return Boolean(expires_at) && Date.parse(expires_at as string) <= now
}
