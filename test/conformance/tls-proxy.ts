/**
 * Lets Cordon, which signs in over https only, speak with the suite's servers, which are plain http on loopback:
 * `https://p4711.example.com` is `http://localhost:4711`, and every address in a request or an answer is
 * rewritten, also `iss`, `resource` and the challenge of a 401. Streams pass as they are.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Outside } from '../../src/house/create-surface.ts'

const DOMAIN = 'example.com'
/** The address of every such host. Nothing listens there; `connect` replaces it by the proxy. */
const STAND_IN = '127.86.42.2'

const certificate = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`certificates/${file}`, import.meta.url)), 'utf8')

export interface TlsProxy extends AsyncDisposable {
  /** Leads Cordon's egress to the proxy, for all such hosts and no other. */
  readonly outside: Outside
}

export async function openTlsProxy(): Promise<TlsProxy> {
  const server = createServer(
    { key: certificate('server-key.pem'), cert: certificate('server.pem') },
    (asked, answer) => void forward(asked, answer),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    outside: {
      async resolve(host) {
        if (host.endsWith(`.${DOMAIN}`)) return [STAND_IN]
        throw new Error('this world has no such host')
      },
      connect: () => connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true }),
      dangerouslyAllowAddress: (address) => address === STAND_IN,
      dangerouslyTrustAuthority: certificate('ca.pem'),
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** From Cordon's addresses to those of the suite, also where they are percent-encoded. */
export function toSuite(text: string): string {
  return text
    .replaceAll(/https:\/\/p(\d+)\.example\.com/g, 'http://localhost:$1')
    .replaceAll(/https%3A%2F%2Fp(\d+)\.example\.com/gi, 'http%3A%2F%2Flocalhost%3A$1')
}

export function toCordon(text: string): string {
  return text
    .replaceAll(/http:\/\/localhost:(\d+)/g, `https://p$1.${DOMAIN}`)
    .replaceAll(/http%3A%2F%2Flocalhost%3A(\d+)/gi, `https%3A%2F%2Fp$1.${DOMAIN}`)
}

async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const port = /^p(\d+)\./.exec(asked.headers.host ?? '')?.[1]
  const body = toSuite(await textOf(asked))
  const headers = rewritten(asked.headers, toSuite)
  const sent = request({
    host: 'localhost',
    port,
    method: asked.method,
    path: toSuite(asked.url ?? '/'),
    headers: { ...headers, host: `localhost:${port}`, ...lengthOf(asked, body) },
  })
  answer.on('close', () => sent.destroy())
  sent.on('error', () => answer.destroy())
  sent.on('response', (response) => void pass(response, answer).catch(() => answer.destroy()))
  sent.end(body)
}

async function pass(response: IncomingMessage, answer: ServerResponse): Promise<void> {
  const headers = rewritten(response.headers, toCordon)
  if (response.headers['content-type']?.includes('text/event-stream') === true) {
    answer.writeHead(response.statusCode ?? 502, headers)
    answer.flushHeaders()
    response.pipe(answer)
    response.on('error', () => answer.destroy())
    return
  }
  const body = toCordon(await textOf(response))
  answer.writeHead(response.statusCode ?? 502, { ...headers, ...lengthOf(response, body) })
  answer.end(body)
}

function rewritten(
  headers: IncomingHttpHeaders,
  rewrite: (text: string) => string,
): IncomingHttpHeaders {
  const {
    'content-length': _length,
    'transfer-encoding': _coding,
    connection: _hop,
    ...rest
  } = headers
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === 'string' ? rewrite(value) : value,
    ]),
  )
}

function lengthOf({ headers }: IncomingMessage, body: string): IncomingHttpHeaders {
  const hasBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return hasBody ? { 'content-length': String(Buffer.byteLength(body)) } : {}
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
