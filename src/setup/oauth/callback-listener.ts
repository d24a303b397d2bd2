/**
 * Listens on 127.0.0.1 for the browser's redirect (RFC 8252 §7.3) while one sign-in runs. Answers one path under one
 * exact Host, so a DNS-rebinding page learns nothing. Opens no outgoing connection.
 */
// oxlint-disable-next-line no-restricted-imports -- listens on loopback; opens no socket outward
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { CordonError } from '../../kernel/error.ts'
import type { PendingCallbacks } from './pending-callbacks.ts'
import { SignInFailure } from './sign-in-failure.ts'
import { CALLBACK_HEADERS, REFUSED_PAGE, TAKEN_PAGE } from './callback-page.ts'

const HOST = '127.0.0.1'
const PATH = '/oauth/callback'
const LOOPBACK: ReadonlySet<string> = new Set([HOST, 'localhost'])

export interface CallbackListener extends AsyncDisposable {
  readonly redirectUri: string
}

/** The address to come back to: any free port, a port that the owner chose, or the whole address they registered. */
export interface CallbackPlace {
  readonly port?: number
  readonly redirectUri?: string
}

/**
 * For an address that is not on this machine, such as one of a custom scheme, nothing listens: the callback arrives by
 * `cordon auth callback` or is pasted.
 */
export async function openCallbackListener(
  callbacks: Pick<PendingCallbacks, 'deliver'>,
  place: CallbackPlace,
): Promise<CallbackListener> {
  const fixed = place.redirectUri === undefined ? undefined : URL.parse(place.redirectUri)
  if (place.redirectUri !== undefined && !isLoopback(fixed)) {
    return { redirectUri: place.redirectUri, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  const server = createServer({ requestTimeout: 5000, headersTimeout: 5000 })
  server.maxConnections = 16
  const port = await listen(server, fixed ? Number(fixed.port || 80) : (place.port ?? 0))
  const redirectUri = place.redirectUri ?? `http://${HOST}:${port}${PATH}`
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

function isLoopback(url: URL | undefined | null): boolean {
  return url?.protocol === 'http:' && LOOPBACK.has(url.hostname)
}

function callbackOf(
  { method, headers, url = '' }: IncomingMessage,
  expected: URL,
): URL | undefined {
  if (method !== 'GET' || headers.host !== expected.host || !url.startsWith('/')) return undefined
  const target = URL.parse(expected.origin + url)
  return target?.pathname === expected.pathname ? target : undefined
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(cannotListen(port, cause))
    server.once('error', fail)
    server.listen({ host: HOST, port }, () => {
      server.off('error', fail)
      const address = server.address()
      if (typeof address === 'object' && address) resolve(address.port)
      else fail(undefined)
    })
  })
}

/** A fixed port that is taken is a reason for people; no free port at all is a broken machine. */
function cannotListen(port: number, cause: unknown): Error {
  if (port !== 0) {
    return new SignInFailure(`another program uses port ${port}, where the browser comes back`)
  }
  return new CordonError(
    'setup.listen',
    { exit: 5, hint: 'Paste a token instead, or see which program holds the ports of 127.0.0.1' },
    'Cannot listen on 127.0.0.1 for the browser to come back',
    cause,
  )
}
