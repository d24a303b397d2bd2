/**
 * The addresses of the sign-in that programs use: metadata, registration and tokens. A website reaches none of them:
 * Host and Origin are checked as for `/mcp`. The page for the owner is the web's.
 */
import type { Log } from '../../kernel/ports.ts'
import type { JsonObject } from '../../text/json.ts'
import { createRateLimit } from '../../text/rate-limit.ts'
import { isOwnHost } from '../admit-request.ts'
import type { Endpoint } from '../create-endpoint.ts'
import { headerOf, type HttpRequest, type HttpResponse, readBody } from '../http-request.ts'
import type { Tokens } from './tokens.ts'
import { type ProgramDeps, registerProgram } from './find-program.ts'
import { OAuthError } from './oauth-error.ts'
import {
  REGISTER,
  RESOURCE_METADATA,
  resourceMetadata,
  SERVER_METADATA,
  serverMetadata,
  TOKEN,
} from './resource-metadata.ts'

export interface OAuthDeps extends ProgramDeps {
  readonly tokens: Tokens
  readonly log: Log
  readonly port: number
}

const LARGEST_BODY = 64 * 1024
const HEADERS = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

export function createOAuthEndpoints(deps: OAuthDeps): ReadonlyMap<string, Endpoint> {
  const mayRegister = createRateLimit({ atOnce: 20, perSecond: 1 / 30 }, deps.now)
  const mayFail = createRateLimit({ atOnce: 30, perSecond: 1 / 2 }, deps.now)
  const metadata = (origin: string): JsonObject => resourceMetadata(origin)
  const get = (describe: (origin: string) => JsonObject): Endpoint =>
    answering(deps, 'GET', async (_request, origin) => ({ status: 200, body: describe(origin) }))
  return new Map([
    [RESOURCE_METADATA, get(metadata)],
    [`${RESOURCE_METADATA}/mcp`, get(metadata)],
    [SERVER_METADATA, get((origin) => serverMetadata(origin, deps.port))],
    [
      REGISTER,
      answering(deps, 'POST', async (request) => {
        if (!mayRegister()) throw new OAuthError('temporarily_unavailable', 'Too many at once')
        return { status: 201, body: await register(deps, request) }
      }),
    ],
    [
      TOKEN,
      answering(deps, 'POST', async (request) => {
        try {
          return { status: 200, body: await giveToken(deps, request) }
        } catch (error) {
          if (mayFail()) throw error
          throw new OAuthError('temporarily_unavailable', 'Too many failures')
        }
      }),
    ],
  ])
}

interface Answer {
  readonly status: number
  readonly body: JsonObject
}

type Respond = (request: HttpRequest, origin: string) => Promise<Answer>

function answering(deps: OAuthDeps, method: string, respond: Respond): Endpoint {
  return (request, response) => {
    void answer(deps, method, respond, request).then((said) => send(response, said))
  }
}

async function answer(
  { port, log }: OAuthDeps,
  method: string,
  respond: Respond,
  request: HttpRequest,
): Promise<Answer> {
  const host = headerOf(request.headers, 'host')
  if (!isOwnHost(host, port) || request.headers['origin'] !== undefined) {
    return { status: 403, body: { error: 'Requests of web pages are not taken' } }
  }
  if (request.method !== method) return { status: 405, body: { error: `Use ${method}` } }
  try {
    return await respond(request, `http://${host}`)
  } catch (error) {
    if (error instanceof OAuthError) {
      const { code, message } = error
      const status = code === 'temporarily_unavailable' ? 429 : 400
      return { status, body: { error: code, error_description: message } }
    }
    log.error('A request for a sign-in failed because of a bug', { error })
    return { status: 500, body: { error: 'server_error' } }
  }
}

function send(response: HttpResponse, { status, body }: Answer): void {
  response.writeHead(status, HEADERS).end(JSON.stringify(body))
}

async function register(deps: OAuthDeps, request: HttpRequest): Promise<JsonObject> {
  const text = await bodyOf(request, 'application/json')
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    throw new OAuthError('invalid_client_metadata', 'The body is no JSON')
  }
  const { clientId, name, redirectUris } = await registerProgram(deps, input)
  return {
    client_id: clientId,
    client_name: name,
    redirect_uris: [...redirectUris],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

async function giveToken(deps: OAuthDeps, request: HttpRequest): Promise<JsonObject> {
  const { tokens } = deps
  const form = new URLSearchParams(await bodyOf(request, 'application/x-www-form-urlencoded'))
  const kind = form.get('grant_type')
  if (kind === 'authorization_code') return await tokens.redeem(form)
  if (kind === 'refresh_token') return await tokens.refresh(form)
  throw new OAuthError('unsupported_grant_type', 'Only codes and refresh tokens are taken')
}

async function bodyOf(request: HttpRequest, type: string): Promise<string> {
  const sent = headerOf(request.headers, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  if (sent !== type) throw new OAuthError('invalid_request', `The body has to be ${type}`)
  const bytes = await readBody(request, LARGEST_BODY)
  if (!bytes) throw new OAuthError('invalid_request', 'The body is too long')
  return bytes.toString('utf8')
}
