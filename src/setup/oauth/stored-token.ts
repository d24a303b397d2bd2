/**
 * The JSON that the vault stores as `oauth/NAME`: a token response and everything needed to redeem it again, only at
 * the server that issued it. The vault lends only its `access_token`, as `oauth:NAME`.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

export interface StoredToken {
  readonly access_token: string
  readonly token_type?: string | undefined
  readonly refresh_token?: string | undefined
  readonly scope?: string | undefined
  /** ISO 8601, like every time here. */
  readonly expires_at?: string | null | undefined
  readonly obtained_at?: string | undefined
  /** The issuer. For a provider without metadata, the origin of its endpoints. */
  readonly issuer?: string | undefined
  readonly token_endpoint?: string | undefined
  readonly revocation_endpoint?: string | undefined
  readonly client_id?: string | undefined
  /** A reference, never the secret itself. */
  readonly client_secret?: string | undefined
  readonly client_auth?: ClientAuth | undefined
  /** The remote MCP server that the token is valid for (RFC 8707). */
  readonly resource?: string | undefined
  /** Scopes that the service asked for beyond `scope`; the next sign-in requests them too. */
  readonly wanted_scope?: string | undefined
  /** The same, by the tool whose call was refused. */
  readonly wanted_by?: Readonly<Record<string, string>> | undefined
  /** The server refuses the token: only a new sign-in by the owner helps. */
  readonly needs_authorization?: { readonly since: string; readonly reason: string } | undefined
}

/** Methods of client authentication; `none` for a public client, which has no secret (RFC 6749 §2.1). */
const CLIENT_AUTHS = ['none', 'client_secret_post', 'client_secret_basic'] as const
export type ClientAuth = (typeof CLIENT_AUTHS)[number]

const time = z.iso.datetime({ offset: true })
/** An invalid optional field counts as absent, so that the rest of the token stays usable. */
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
  wanted_by: z.record(z.string(), z.string()).optional().catch(undefined),
  needs_authorization: z.object({ since: time, reason: z.string() }).optional().catch(undefined),
})

export function parseStoredToken(text: string): StoredToken | undefined {
  try {
    return storedToken.parse(JSON.parse(text))
  } catch {
    return undefined // the error is dropped: like the text, it may hold the token
  }
}

/** Identifies an access token without storing it. */
export function hashToken(accessToken: string | Uint8Array): string {
  return createHash('sha256').update(accessToken).digest('hex')
}

const SKEW_MS = 60_000

/** The time of the renewal: a minute before expiry, or a tenth of the lifetime if that is shorter. */
export function renewalTime({ expires_at, obtained_at }: StoredToken): number {
  if (!expires_at) return Number.POSITIVE_INFINITY
  const end = Date.parse(expires_at)
  const life = obtained_at === undefined ? Number.POSITIVE_INFINITY : end - Date.parse(obtained_at)
  return end - Math.min(SKEW_MS, Math.max(0, life / 10))
}

export function hasExpired({ expires_at }: StoredToken, now: number): boolean {
  return Boolean(expires_at) && Date.parse(expires_at as string) <= now
}
