/**
 * Stands between the suite and the gateway: the suite knows no tokens and calls tools by the server's own names. Adds the
 * token and the server's prefix on the way in, takes the prefix away on the way out, and changes nothing else; a foreign
 * Host or Origin reaches the gateway as it came.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Behind {
  readonly url: string
  readonly token: string
  /** `conf__`. */
  readonly prefix: string
}

export async function openPlainNames(
  behind: Behind,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((incoming, outgoing) => {
    void pass(behind, incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function pass(
  behind: Behind,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = Buffer.concat((await incoming.toArray()) as Buffer[]).toString()
  const sent = prefixed(body, behind.prefix)
  const passed = send(behind.url, {
    method: incoming.method ?? 'POST',
    headers: headersFor(behind, incoming, sent),
  })
  outgoing.on('close', () => passed.destroy())
  passed.on('error', () => outgoing.destroy())
  passed.on('response', (response) => {
    const { 'content-length': _length, ...headers } = response.headers
    outgoing.writeHead(response.statusCode ?? 500, headers)
    response.on('data', (chunk: Buffer) => outgoing.write(plain(chunk.toString(), behind.prefix)))
    response.on('end', () => outgoing.end())
  })
  passed.end(sent)
}

function headersFor(
  { url, token, prefix }: Behind,
  { headers }: IncomingMessage,
  body: string,
): Readonly<Record<string, string | string[] | number>> {
  const { host = '', connection: _mine, 'transfer-encoding': _coded, ...rest } = headers
  const isOwn = /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host)
  const name = headers['mcp-name']
  const known = Object.fromEntries(
    Object.entries(rest).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined,
    ),
  )
  return {
    ...known,
    ...(typeof name === 'string' && isTest(name) && { 'mcp-name': `${prefix}${name}` }),
    host: isOwn ? new URL(url).host : host,
    authorization: `Bearer ${token}`,
    'content-length': Buffer.byteLength(body),
  }
}

const isTest = (name: unknown): boolean => typeof name === 'string' && name.startsWith('test_')

/** Of tools and prompts that are called. A body that is no JSON passes as it is. */
function prefixed(body: string, prefix: string): string {
  try {
    const message = JSON.parse(body) as { params?: { name?: unknown; ref?: { name?: unknown } } }
    for (const named of [message.params, message.params?.ref]) {
      if (named && isTest(named.name)) named.name = `${prefix}${String(named.name)}`
    }
    return JSON.stringify(message)
  } catch {
    return body
  }
}

/** Of tools and prompts that are listed. */
function plain(text: string, prefix: string): string {
  return text.replaceAll(`"name":"${prefix}`, '"name":"')
}
