/**
 * Codes and tokens of programs that signed in. A code works once and for a minute; an access token for fifteen minutes;
 * a refresh token once, and gives the next pair. Either of them used twice, also at the same time or at two kernels, means
 * that somebody has a copy: everything of that sign-in ends. Only hashes are stored.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { SwappedNotes } from '../../ports/swapped-notes-port.ts'
import type { SignInRequest } from '../../ports/sign-in-port.ts'
import type { JsonObject } from '../../text/json.ts'
import { type Code, Codes } from './codes.ts'
import { OAuthError } from './oauth-error.ts'

const KIND = 'sign-in'
const ACCESS_MS = 15 * 60_000
const REFRESH_MS = 30 * 24 * 3_600_000
const MOST_SPENT = 50
const STALE_MS = 500
/** A token that another kernel may just have given is looked up anew this often at most. */
const LOOK_AGAIN_MS = 50

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

export interface TokenDeps {
  readonly notes: SwappedNotes
  readonly now: () => number
  /** Several kernels share the store. */
  readonly isShared: boolean
  /** The addresses of this kernel's gateway. */
  readonly resources: readonly string[]
  /** Reads the clients anew: another kernel may have registered one. */
  reloadClients(): Promise<unknown>
  /** A code or a token was used twice, and the sign-in of this client has ended. What it has open has to end, too. */
  replayed(client: string): Promise<void>
  /** When this client was registered by a sign-in; undefined if there is none. */
  sinceOf(name: string): string | undefined
}

interface Known {
  readonly grant: Grant
  /** As it is stored. */
  readonly content: string
}

export class Tokens {
  readonly #deps: TokenDeps
  readonly #codes: Codes
  #known: { readonly grants: readonly Known[]; readonly at: number } | undefined
  #version = 0
  #looking: Promise<void> | undefined

  constructor(deps: TokenDeps) {
    this.#deps = deps
    this.#codes = new Codes(deps)
  }

  /** A code for the program that the owner agreed to. */
  async createCode(client: string, request: SignInRequest): Promise<string> {
    return await this.#codes.create(client, this.#deps.sinceOf(client) ?? '', request)
  }

  /** RFC 6749 section 4.1.3 with RFC 7636: the verifier proves that the sender is the one that asked. */
  async redeem(form: URLSearchParams): Promise<JsonObject> {
    const given = form.get('code') ?? ''
    const code = await this.#codes.use(given)
    if (!code) throw new OAuthError('invalid_grant', 'The code is not valid')
    const { client, since, clientId, resource } = code
    if (code.state === 'replayed') throw await this.#replayed(client, 'The code was used before')
    await this.#lookAnew()
    const isOver = this.#deps.now() >= code.until || !this.#isThere(code)
    if (isOver) throw new OAuthError('invalid_grant', 'The code is not valid any more')
    checkRequest(form, code)
    this.#checkResource(form, resource)
    const issued = newTokens({ client, since, clientId, resource }, [], this.#deps.now())
    await this.#deps.notes.put(KIND, client, JSON.stringify(issued.grant))
    this.#forget()
    // A second use of the code may have ended the sign-in before the tokens were stored.
    if (await this.#codes.isReplayed(given)) {
      throw await this.#replayed(client, 'The code was used twice')
    }
    return issued.answer
  }

  /** Rotation: each refresh token is exchanged once. */
  async refresh(form: URLSearchParams): Promise<JsonObject> {
    const given = hashed(form.get('refresh_token') ?? '')
    await this.#lookAnew()
    for (;;) {
      const grants = await this.#grants()
      const stolen = grants.find(({ grant }) => grant.spent.includes(given))
      if (stolen) throw await this.#replayed(stolen.grant.client, 'The token was used before')
      const known = grants.find(({ grant }) => grant.refreshHash === given)
      const isValid =
        known &&
        known.grant.clientId === form.get('client_id') &&
        this.#deps.now() < known.grant.refreshUntil &&
        this.#isThere(known.grant)
      if (!isValid) throw new OAuthError('invalid_grant', 'The refresh token is not valid')
      const { grant, content } = known
      this.#checkResource(form, grant.resource)
      const issued = newTokens(grant, [...grant.spent, given].slice(-MOST_SPENT), this.#deps.now())
      const next = JSON.stringify(issued.grant)
      const isFirst = await this.#deps.notes.swap(KIND, grant.client, content, next)
      this.#forget()
      // A second request exchanged the token first; the next round finds it among the spent ones.
      if (isFirst) return issued.answer
    }
  }

  /** The name of the client that holds this access token. */
  async admit(token: string): Promise<string | undefined> {
    const given = hashed(token)
    const holder = async (): Promise<string | undefined> =>
      this.#holderIn(await this.#grants(), given)
    const found = await holder()
    if (found !== undefined || !this.#deps.isShared) return found
    await (this.#looking ??= this.#lookAgain())
    return await holder()
  }

  /** Of a shared store every token was given by a kernel that shares it, for an address of its own. */
  #holderIn(grants: readonly Known[], given: string): string | undefined {
    const { now, isShared, resources } = this.#deps
    const grant = grants.find((one) => one.grant.accessHash === given)?.grant
    const isValid = grant && now() < grant.accessUntil && this.#isThere(grant)
    if (!isValid) return undefined
    return isShared || resources.includes(grant.resource) ? grant.client : undefined
  }

  /** Requests that come meanwhile wait for the same look, unless it has begun to read. */
  async #lookAgain(): Promise<void> {
    const age = this.#deps.now() - (this.#known?.at ?? 0)
    await sleep(Math.min(LOOK_AGAIN_MS, Math.max(0, LOOK_AGAIN_MS - age)))
    this.#looking = undefined
    await this.#lookAnew()
  }

  /** Another kernel may have given the token or registered its client a moment ago. */
  async #lookAnew(): Promise<void> {
    if (!this.#deps.isShared) return
    await this.#deps.reloadClients()
    this.#forget()
  }

  /** The client that this program signed in as before. */
  async clientOf(clientId: string): Promise<string | undefined> {
    await this.#lookAnew()
    const known = (await this.#grants()).find(({ grant }) => grant.clientId === clientId)
    return known && this.#isThere(known.grant) ? known.grant.client : undefined
  }

  #isThere({ client, since }: Pick<Grant, 'client' | 'since'>): boolean {
    return this.#deps.sinceOf(client) === since
  }

  async #grants(): Promise<readonly Known[]> {
    const { isShared, notes, now } = this.#deps
    if (this.#known && !(isShared && now() - this.#known.at > STALE_MS)) return this.#known.grants
    const version = this.#version
    const rows = await notes.list(KIND)
    const grants = rows.map(({ content }) => ({
      grant: Stored.parse(JSON.parse(content)),
      content,
    }))
    // Something may have been written while the rows were read.
    if (version === this.#version) this.#known = { grants, at: now() }
    return grants
  }

  #forget(): void {
    this.#known = undefined
    this.#version += 1
  }

  /** RFC 8707: a token is for one resource, which is any kernel of the store; a program that names another gets none. */
  #checkResource(form: URLSearchParams, resource: string): void {
    const { isShared, resources } = this.#deps
    const named = form.get('resource') ?? resource
    if (named !== resource && !(isShared && resources.includes(named))) {
      throw new OAuthError('invalid_target', 'The token would be for another resource')
    }
  }

  /** Ends the sign-in. */
  async #replayed(client: string, why: string): Promise<OAuthError> {
    await this.#deps.notes.remove(KIND, client)
    this.#forget()
    await this.#deps.replayed(client)
    return new OAuthError('invalid_grant', why)
  }
}

function newTokens(
  { client, since, clientId, resource }: Pick<Grant, 'client' | 'since' | 'clientId' | 'resource'>,
  spent: readonly string[],
  now: number,
): { readonly grant: Grant; readonly answer: JsonObject } {
  const [access, refresh] = [secret(), secret()]
  return {
    grant: {
      client,
      since,
      clientId,
      resource,
      accessHash: hashed(access),
      accessUntil: now + ACCESS_MS,
      refreshHash: hashed(refresh),
      refreshUntil: now + REFRESH_MS,
      spent,
    },
    answer: {
      access_token: access,
      token_type: 'Bearer',
      expires_in: ACCESS_MS / 1000,
      refresh_token: refresh,
    },
  }
}

function checkRequest(
  form: URLSearchParams,
  { clientId, redirectUri, challenge }: Pick<Code, 'clientId' | 'redirectUri' | 'challenge'>,
): void {
  const isSame = form.get('client_id') === clientId && form.get('redirect_uri') === redirectUri
  if (!isSame) throw new OAuthError('invalid_grant', 'The code belongs to another request')
  if (!isProof(form.get('code_verifier') ?? '', challenge)) {
    throw new OAuthError('invalid_grant', 'The code verifier does not fit')
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
