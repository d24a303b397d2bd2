/** Signs in to a remote MCP server like a person, and replaces single answers of its servers by wrong ones. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OAuthMethod } from '../../src/ports/service-facts.ts'
import type {
  Acquired,
  AcquirePrompt,
  AcquireRequest,
} from '../../src/setup/connection/acquirer.ts'
import type { OAuthServer } from '../fixtures/oauth-server.ts'
import { createBrowser } from './browser.ts'
import {
  never,
  type OAuthDeps,
  type OAuthRoomsOptions,
  openOAuthRooms,
  requestFor,
} from './oauth-rooms.ts'

export const MCP_METHOD: OAuthMethod = { kind: 'mcp', key: 'bearer' }
export const request: AcquireRequest = requestFor(MCP_METHOD)

export const open = (
  server: OAuthServer,
  options: Partial<OAuthRoomsOptions> = {},
): Promise<OAuthDeps> => openOAuthRooms({ createFetch: server.createFetch, ...options })

/** Signs in like a person who opens every page that the sign-in asks for. */
export async function signIn(
  server: OAuthServer,
  rooms: OAuthDeps,
  start: (prompt: (it: AcquirePrompt) => void) => Promise<Acquired> = (prompt) =>
    rooms.acquire.start(request, prompt, never),
): Promise<{ ended: Acquired; page: URL | undefined }> {
  let page: URL | undefined
  const ended = await start((prompt) => {
    if (prompt.kind !== 'authorize') return
    page = new URL(prompt.url)
    void createBrowser(server.port).open(prompt.url)
  })
  return { ended, page }
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Replaces the server's answer at one host and path. */
export function instead(server: OAuthServer, host: string, path: string, answer: Answer): void {
  server.meddle = (request, response) => {
    if (request.headers['x-forwarded-host'] !== host || request.url !== path) return false
    answer(request, response)
    return true
  }
}

export const json =
  (body: unknown, status = 200): Answer =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))

export const METADATA = '/.well-known/oauth-protected-resource/mcp'
export const AS_METADATA = '/.well-known/oauth-authorization-server'
