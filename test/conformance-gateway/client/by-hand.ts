/** Single HTTP requests by hand: a header can be wrong, and the body need not be JSON. */
import { request as open } from 'node:http'
import { NotApplicable, type Subject } from '../check.ts'
import type { ClientName } from '../adapters/adapter.ts'
import { VERSION } from './mcp-client.ts'
import type { HttpTarget } from './wire-http.ts'

export interface Posted {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export function targetOf({ gateway }: Subject, client: ClientName): HttpTarget {
  if (!gateway.http) throw new NotApplicable('it has no Streamable HTTP')
  return gateway.http(client)
}

export function request(method: string, params: object = {}, id = 1): object {
  return { jsonrpc: '2.0', id, method, params }
}

export const INITIALIZE: object = request('initialize', {
  protocolVersion: VERSION,
  capabilities: {},
  clientInfo: { name: 'gateway-conformance', version: '1.0.0' },
})

/** A header of undefined is left out. */
export async function post(
  { url, headers }: HttpTarget,
  body: unknown,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Posted> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...headers,
    ...more,
  }
  const kept = Object.entries(all).filter(([, value]) => value !== undefined)
  const { promise, resolve, reject } = Promise.withResolvers<Posted>()
  const sent = open(url, { method: 'POST', agent: false, headers: Object.fromEntries(kept) })
  sent.on('error', reject)
  sent.on('response', (response) => {
    const read = async (): Promise<Posted> => ({
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: Buffer.concat((await response.toArray()) as Buffer[]).toString(),
    })
    read().then(resolve, reject)
  })
  sent.end(text)
  return await promise
}
