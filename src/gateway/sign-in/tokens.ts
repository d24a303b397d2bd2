/**
 * Codes and tokens of programs that signed in. A code works once and for a minute; an access token for fifteen minutes;
 * a refresh token once, and gives the next pair. Either of them used twice means that somebody has a copy: everything of
 * that sign-in ends. Only hashes are stored.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Notes } from '../../kernel/ports.ts'
import type { SignInRequest } from '../../ports/sign-in-port.ts'
import type { JsonObject } from '../../text/json.ts'
import { OAuthError } from './oauth-error.ts'

const KIND = 'sign-in'
const CODE_MS = 60_000
const ACCESS_MS = 15 * 60_000
const REFRESH_MS = 30 * 24 * 3_600_000
const MOST_CODES = 100
const MOST_SPENT = 50
const STALE_MS = 500

/** The sign-in of one program, under the name of its client. */
export interface Grant {
  readonly client: string
  /** When the client was registered: a later one of the same name is another. */
  readonly since: string
  readonly clientId: string
  readonly resource: string
  readonly accessHash: string
  readonly accessUntil: number
  readonly refreshHash: string
  readonly refreshUntil: number
  /** Refresh tokens that were exchanged already. */
  readonly spent: readonly string[]
}

const Stored: z.ZodType<Grant> = z.object({
  client: z.string(),
  since: z.string(),
  clientId: z.string(),
  resource: z.string(),
  accessHash: z.string(),
  accessUntil: z.number(),
  refreshHash: z.string(),
  refreshUntil: z.number(),
  spent: z.array(z.string()),
})

interface Code {
  readonly client: string
  readonly since: string
  readonly request: SignInRequest
  readonly until: number
  isUsed: boolean
}

export interface TokenDeps {
  readonly notes: Notes
  readonly now: () => number
  /** Several kernels share the store. */
  readonly isShared: boolean
  /** A code or a token was used twice, and the sign-in of this client has ended. What it has open has to end, too. */
  replayed(client: string): Promise<void>
  /** When this client was registered by a sign-in; undefined if there is none. */
  sinceOf(name: string): string | undefined
}

export class Tokens {
  readonly #deps: TokenDeps
  readonly #codes = new Map<string, Code>()
  #known: { readonly grants: readonly Grant[]; readonly at: number } | undefined

  constructor(deps: TokenDeps) {
    this.#deps = deps
  }

  /** A code for the program that the owner agreed to. */
  createCode(client: string, request: SignInRequest): string {
    const code = secret()
    const until = this.#deps.now() + CODE_MS
    const since = this.#deps.sinceOf(client) ?? ''
    this.#codes.set(hashed(code), { client, since, request, until, isUsed: false })
    const [oldest] = this.#codes.keys()
    if (this.#codes.size > MOST_CODES && oldest !== undefined) this.#codes.delete(oldest)
    return code
  }

  /** RFC 6749 section 4.1.3 with RFC 7636: the verifier proves that the sender is the one that asked. */
  async redeem(form: URLSearchParams): Promise<JsonObject> {
    const code = this.#codes.get(hashed(form.get('code') ?? ''))
    if (!code) throw new OAuthError('invalid_grant', 'The code is not valid')
    const { client, since, request } = code
    if (code.isUsed) {
      await this.#end(client)
      throw new OAuthError('invalid_grant', 'The code was used before')
    }
    code.isUsed = true
    const isOver = this.#deps.now() >= code.until || !this.#isThere(code)
    if (isOver) throw new OAuthError('invalid_grant', 'The code is not valid any more')
    const isSame =
      form.get('client_id') === request.clientId && form.get('redirect_uri') === request.redirectUri
    if (!isSame) throw new OAuthError('invalid_grant', 'The code belongs to another request')
    if (!isProof(form.get('code_verifier') ?? '', request.challenge)) {
      throw new OAuthError('invalid_grant', 'The code verifier does not fit')
    }
    checkResource(form, request.resource)
    const { clientId, resource } = request
    return await this.#issue({ client, since, clientId, resource }, [])
  }

  /** Rotation: each refresh token is exchanged once. */
  async refresh(form: URLSearchParams): Promise<JsonObject> {
    const given = hashed(form.get('refresh_token') ?? '')
    const grants = await this.#grants()
    const stolen = grants.find(({ spent }) => spent.includes(given))
    if (stolen) {
      await this.#end(stolen.client)
      throw new OAuthError('invalid_grant', 'The token was used before')
    }
    const grant = grants.find(({ refreshHash }) => refreshHash === given)
    const isValid =
      grant &&
      grant.clientId === form.get('client_id') &&
      this.#deps.now() < grant.refreshUntil &&
      this.#isThere(grant)
    if (!isValid) throw new OAuthError('invalid_grant', 'The refresh token is not valid')
    checkResource(form, grant.resource)
    return await this.#issue(grant, [...grant.spent, given].slice(-MOST_SPENT))
  }

  /** The name of the client that holds this access token for this resource. */
  async admit(token: string, resources: readonly string[]): Promise<string | undefined> {
    const given = hashed(token)
    const grant = (await this.#grants()).find(({ accessHash }) => accessHash === given)
    const isValid = grant && this.#deps.now() < grant.accessUntil && this.#isThere(grant)
    if (!isValid) return undefined
    return resources.includes(grant.resource) ? grant.client : undefined
  }

  /** The client that this program signed in as before. */
  async clientOf(clientId: string): Promise<string | undefined> {
    const grant = (await this.#grants()).find((one) => one.clientId === clientId)
    return grant && this.#isThere(grant) ? grant.client : undefined
  }

  #isThere({ client, since }: Pick<Grant, 'client' | 'since'>): boolean {
    return this.#deps.sinceOf(client) === since
  }

  async #grants(): Promise<readonly Grant[]> {
    const { isShared, notes, now } = this.#deps
    if (this.#known && !(isShared && now() - this.#known.at > STALE_MS)) return this.#known.grants
    const rows = await notes.list(KIND)
    const grants = rows.map(({ content }) => Stored.parse(JSON.parse(content)))
    this.#known = { grants, at: now() }
    return grants
  }

  async #issue(
    {
      client,
      since,
      clientId,
      resource,
    }: Pick<Grant, 'client' | 'since' | 'clientId' | 'resource'>,
    spent: readonly string[],
  ): Promise<JsonObject> {
    const { now, notes } = this.#deps
    const [access, refresh] = [secret(), secret()]
    const grant: Grant = {
      client,
      since,
      clientId,
      resource,
      accessHash: hashed(access),
      accessUntil: now() + ACCESS_MS,
      refreshHash: hashed(refresh),
      refreshUntil: now() + REFRESH_MS,
      spent,
    }
    await notes.put(KIND, client, JSON.stringify(grant))
    this.#known = undefined
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: ACCESS_MS / 1000,
      refresh_token: refresh,
    }
  }

  async #end(client: string): Promise<void> {
    await this.#deps.notes.remove(KIND, client)
    this.#known = undefined
    await this.#deps.replayed(client)
  }
}

/** RFC 8707: a token is for one resource; a program that names another gets none. */
function checkResource(form: URLSearchParams, resource: string): void {
  const named = form.get('resource')
  if (named !== null && named !== resource) {
    throw new OAuthError('invalid_target', 'The token would be for another resource')
  }
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

function isProof(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false
  const computed = Buffer.from(hash('sha256', verifier, 'base64url'))
  const given = Buffer.from(challenge)
  return computed.length === given.length && timingSafeEqual(computed, given)
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

function hashed(text: string): string {
  return hash('sha256', text)
}
