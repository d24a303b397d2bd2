/**
 * Admits or refuses a request to `/mcp` by its head alone, before a byte of the body is read. The order of the lines is the
 * order of the checks. A website cannot get past the Host and Origin lines; a program of another user cannot get past the
 * token.
 */
import { headerOf, type HttpHeaders, type HttpRequest } from './http-request.ts'
import type { Clients, GatewayClient } from '../ports/client-port.ts'

export type Admission =
  | { readonly kind: 'admitted'; readonly client: GatewayClient }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string }

const BEARER = /^Bearer ([A-Za-z0-9_-]{1,200})$/

export async function admitRequest(
  request: Pick<HttpRequest, 'headers' | 'method'>,
  clients: Pick<Clients, 'admit'>,
  port: number,
): Promise<Admission> {
  const refusal = refuseHead(request, port)
  if (refusal) return refusal
  const client = await clients.admit(tokenIn(request.headers))
  return client
    ? { kind: 'admitted', client }
    : refused(401, 'A token of a registered client is needed')
}

/** Empty if there is none. */
export function tokenIn(headers: HttpHeaders): string {
  const [, token = ''] = BEARER.exec(headerOf(headers, 'authorization') ?? '') ?? []
  return token
}

const METHODS: ReadonlySet<string | undefined> = new Set(['POST', 'GET', 'DELETE'])

function refuseHead(
  { headers, method }: Pick<HttpRequest, 'headers' | 'method'>,
  port: number,
): Admission | undefined {
  // DNS rebinding: a foreign name that resolves to 127.0.0.1 is still foreign.
  if (!isOwnHost(headerOf(headers, 'host'), port)) {
    return refused(403, 'This host name is not one of the gateway')
  }
  // Programs send no Origin; a page of this machine has no business here either.
  if (headers['origin'] !== undefined) return refused(403, 'Requests of web pages are not taken')
  return METHODS.has(method) ? undefined : refused(405, 'POST a JSON-RPC message')
}

export function isOwnHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`
}

function refused(status: number, why: string): Admission {
  return { kind: 'refused', status, why }
}
