/**
 * Signing in to the gateway (OAuth 2.1): authorization code with PKCE S256 and nothing else. Everything is checked
 * before the owner is asked; the owner's yes makes a client like any other, which `cordon client remove` ends.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Audit } from '../../kernel/ports.ts'
import type { SwappedNotes } from '../../ports/swapped-notes-port.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { BegunSignIn, SignInRequest, SignIns } from '../../ports/sign-in-port.ts'
import type { OpenClients } from '../open-clients.ts'
import { Tokens } from './tokens.ts'
import { findProgram, isRegistered, type ProgramDeps } from './find-program.ts'
import { OAuthError } from './oauth-error.ts'
import { issuerOf, originsAt, resourceAt } from './resource-metadata.ts'

export interface SignInDeps extends ProgramDeps {
  readonly owner: PrincipalId
  readonly clients: Pick<OpenClients, 'addSignedIn' | 'list' | 'find' | 'cutOff'>
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly notes: SwappedNotes
  readonly port: number
  readonly isShared: boolean
}

export interface OpenSignIns extends SignIns {
  readonly tokens: Tokens
}

export function createSignIns(deps: SignInDeps): OpenSignIns {
  const tokens = new Tokens({
    notes: deps.notes,
    now: deps.now,
    isShared: deps.isShared,
    resources: originsAt(deps.port).map(resourceAt),
    reloadClients: () => deps.clients.list(),
    sinceOf(name) {
      const client = deps.clients.find(name)
      return client?.isSignedIn ? client.createdAt : undefined
    },
    async replayed(client) {
      deps.audit.append({ kind: 'gateway.replayed', principal: deps.owner, subject: client })
      await deps.clients.cutOff(client)
    },
  })
  return {
    tokens,
    begin: (query) => begin(deps, query),
    allow: (request) => allow(deps, tokens, request),
    deny(request) {
      const error = new OAuthError('access_denied', 'The owner said no')
      const { owner: principal, audit } = deps
      audit.append({
        kind: 'gateway.sign-in-denied',
        principal,
        details: { name: request.clientName },
      })
      return backWith(deps, request, errorFields(error))
    },
  }
}

async function begin(deps: SignInDeps, query: URLSearchParams): Promise<BegunSignIn> {
  // Until client and redirect are known to be right, nothing may be sent to that redirect.
  const known = await checkedRedirect(deps, query).catch(asWrong)
  if ('kind' in known) return known
  try {
    return { kind: 'ask', request: { ...known, ...checkedRest(deps, query) } }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const state = stateIn(query)
    return { kind: 'back', location: backWith(deps, { ...known, ...state }, errorFields(error)) }
  }
}

type Known = Pick<SignInRequest, 'clientId' | 'clientName' | 'publisher' | 'redirectUri'>

async function checkedRedirect(deps: SignInDeps, query: URLSearchParams): Promise<Known> {
  const program = await findProgram(deps, only(query, 'client_id'))
  const redirectUri = only(query, 'redirect_uri')
  if (!isRegistered(program, redirectUri)) {
    throw new OAuthError('invalid_redirect_uri', 'The program did not register this redirect')
  }
  const { clientId, name: clientName, publisher } = program
  return { clientId, clientName, ...(publisher !== undefined && { publisher }), redirectUri }
}

function checkedRest(
  { port }: SignInDeps,
  query: URLSearchParams,
): Pick<SignInRequest, 'challenge' | 'resource' | 'state'> {
  if (query.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'Only codes are given')
  }
  const challenge = query.get('code_challenge') ?? ''
  const isS256 = query.get('code_challenge_method') === 'S256'
  if (!isS256 || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OAuthError('invalid_request', 'PKCE with S256 is needed')
  }
  const resource = query.get('resource') ?? resourceAt(originsAt(port)[0] ?? '')
  if (issuerOf(resource, port) === undefined) {
    throw new OAuthError('invalid_target', 'This gateway has no such resource')
  }
  return { challenge, resource, ...stateIn(query) }
}

function stateIn(query: URLSearchParams): { readonly state?: string } {
  const state = query.get('state')
  return state === null ? {} : { state: state.slice(0, 2000) }
}

async function allow(
  { clients, audit, owner, ...deps }: SignInDeps,
  tokens: Tokens,
  request: SignInRequest,
): Promise<string> {
  const { clientId, clientName, publisher, redirectUri } = request
  const before = await tokens.clientOf(clientId)
  const client = before ?? (await addNamed(clients, clientName))
  const details = { name: clientName, publisher: publisher ?? null, redirect: redirectUri }
  await audit.appendDurable({
    kind: 'gateway.signed-in',
    principal: owner,
    subject: client,
    details,
  })
  return backWith(deps, request, { code: await tokens.createCode(client, request) })
}

/** Of two programs of one name at the same moment, also at two kernels, the later one is given the next number. */
async function addNamed(
  clients: Pick<OpenClients, 'addSignedIn' | 'list'>,
  wanted: string,
): Promise<string> {
  for (;;) {
    const name = freeName(wanted, await clients.list())
    try {
      await clients.addSignedIn(name)
      return name
    } catch (error) {
      if (!(error instanceof CordonError) || error.code !== 'gateway.client-taken') throw error
    }
  }
}

/** The program's name as the name of a client; numbered if another has it. */
function freeName(wanted: string, clients: readonly { readonly name: string }[]): string {
  const slug = wanted
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 24)
  const base = slug.replace(/-+$/, '') || 'program'
  const taken = new Set(clients.map(({ name }) => name))
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`
    if (!taken.has(name)) return name
  }
}

/** RFC 9207: the answer names the issuer, so that a program never mistakes one server's answer for another's. */
function backWith(
  { port }: Pick<SignInDeps, 'port'>,
  {
    redirectUri,
    state,
    resource,
  }: Pick<SignInRequest, 'redirectUri' | 'state'> & {
    readonly resource?: string
  },
  fields: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  if (state !== undefined) url.searchParams.set('state', state)
  const issuer = (resource !== undefined && issuerOf(resource, port)) || originsAt(port)[0]
  url.searchParams.set('iss', issuer ?? '')
  return url.href
}

function errorFields({ code, message }: OAuthError): Readonly<Record<string, string>> {
  return { error: code, error_description: message }
}

/** A parameter that is sent twice could mean either. */
function only(query: URLSearchParams, name: string): string {
  const [value, ...more] = query.getAll(name)
  if (value !== undefined && more.length === 0) return value
  throw new OAuthError('invalid_request', `${name} is needed, once`)
}

function asWrong(error: unknown): { readonly kind: 'wrong'; readonly why: string } {
  if (error instanceof OAuthError) return { kind: 'wrong', why: error.message }
  throw error
}
