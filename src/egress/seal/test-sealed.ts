/** A proxy with one sealed credential, and a client inside that speaks raw HTTP over its TLS; for tests. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { EgressLimits } from '../proxy/limits.ts'
import { type Outside, sendConnect, startTls, type TestProxy } from '../test-outside.ts'

/** The real value; nothing inside may ever read it. */
export const SECRET = 'ghp_canary5b1e0c2f9d7a4386'

export interface SealedStage extends AsyncDisposable {
  readonly proxy: TestProxy
  readonly placeholder: string
  /** The heads of the requests as they reached a host: `host`, `path`, `raw` headers. */
  readonly asked: {
    readonly path: string
    readonly raw: readonly string[]
    readonly body: string
  }[]
  /** As the end of the server does: its proxy is disposed, and the real value is there no more. */
  end(): Promise<void>
  /** Opens TLS to the host, through the proxy. */
  connect(host: string): Promise<TLSSocket>
  /** One whole exchange; the request has to end the connection. */
  send(host: string, request: string): Promise<string>
}

/** The credential is for `allowed.example`; `other.example` and names below `wild.example` may be reached, too. */
export async function openSealedStage(
  outside: Outside,
  hosts: readonly string[] = ['allowed.example'],
  limits: Partial<EgressLimits> = {},
): Promise<SealedStage> {
  const asked: SealedStage['asked'] = []
  const answer = outside.answer
  outside.answer = (request, response) => {
    const reading = async (): Promise<void> => {
      const body = await readBody(request)
      asked.push({ path: request.url ?? '', raw: request.rawHeaders, body })
      answer(request, response)
    }
    void reading()
  }
  let isLent = true
  const value = (): Buffer => {
    assert.ok(isLent, 'the lease has ended')
    return Buffer.from(SECRET)
  }
  const proxy = await outside.openSealed(
    ['allowed.example', 'other.example', '*.wild.example'],
    [{ name: 'TOKEN', hosts, value }],
    limits,
  )
  const authority = proxy.seal?.authority.certificate
  const connect = async (host: string): Promise<TLSSocket> => {
    const { status, socket } = await sendConnect(proxy.port, `${host}:443`)
    assert.equal(status, 200)
    const tls = await startTls(socket, host, authority)
    assert.ok(tls)
    return tls
  }
  return {
    proxy,
    placeholder: proxy.seal?.credentials[0]?.placeholder ?? '',
    asked,
    async end() {
      await proxy.proxy[Symbol.asyncDispose]()
      isLent = false
    },
    connect,
    async send(host, request) {
      const tls = await connect(host)
      tls.write(request, 'latin1')
      return await readAll(tls)
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}

async function readAll(tls: TLSSocket): Promise<string> {
  let text = ''
  tls.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  await new Promise((resolve) => tls.once('close', resolve))
  return text
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}

/** A request that ends its connection. */
export function get(path: string, headers: readonly string[], host = 'allowed.example'): string {
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers, 'Connection: close']
  return `${lines.join('\r\n')}\r\n\r\n`
}
