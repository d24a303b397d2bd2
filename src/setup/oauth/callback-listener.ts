/**
 * Listens on 127.0.0.1 for the browser's redirect (RFC 8252 §7.3) while one sign-in runs. Answers one path under one
 * exact Host, so a DNS-rebinding page learns nothing. Opens no outgoing connection.
 */
// oxlint-disable-next-line no-restricted-imports -- listens on loopback; opens no socket outward
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { CordonError } from '../../kernel/error.ts'
import type { PendingCallbacks } from './pending-callbacks.ts'
import { CALLBACK_HEADERS, REFUSED_PAGE, TAKEN_PAGE } from './callback-page.ts'

const HOST = '127.0.0.1'
const PATH = '/oauth/callback'

export interface CallbackListener extends AsyncDisposable {
  readonly redirectUri: string
}

export async function openCallbackListener(
  callbacks: Pick<PendingCallbacks, 'deliver'>,
): Promise<CallbackListener> {
  const server = createServer({ requestTimeout: 5000, headersTimeout: 5000 })
  server.maxConnections = 16
  const redirectUri = `http://${HOST}:${await listen(server)}${PATH}`
  server.on('request', (request, response) => answer(callbacks, redirectUri, request, response))
  return {
    redirectUri,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 1000).unref() // the callback page may still be on its way
      await closed
    },
  }
}

function answer(
  callbacks: Pick<PendingCallbacks, 'deliver'>,
  redirectUri: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const callback = callbackOf(request, new URL(redirectUri))
  const isTaken = callback !== undefined && callbacks.deliver(callback)
  const refusal = callback ? 400 : 404
  response.writeHead(isTaken ? 200 : refusal, CALLBACK_HEADERS)
  response.end(isTaken ? TAKEN_PAGE : REFUSED_PAGE)
}

function callbackOf(
  { method, headers, url = '' }: IncomingMessage,
  expected: URL,
): URL | undefined {
  if (method !== 'GET' || headers.host !== expected.host || !url.startsWith('/')) return undefined
  const target = URL.parse(expected.origin + url)
  return target?.pathname === expected.pathname ? target : undefined
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(cannotListen(cause))
    server.once('error', fail)
    server.listen({ host: HOST, port: 0 }, () => {
      server.off('error', fail)
      const address = server.address()
      if (typeof address === 'object' && address) resolve(address.port)
      else fail(undefined)
    })
  })
}

function cannotListen(cause: unknown): CordonError {
  return new CordonError(
    'setup.listen',
    { exit: 5, hint: 'Paste a token instead, or see which program holds the ports of 127.0.0.1' },
    'Cannot listen on 127.0.0.1 for the browser to come back',
    cause,
  )
}
