/**
 * A naive proxy: accepts any method and spelling, has no rules and no limits, resolves a name twice, serves pipelined
 * requests, and fails open. Every attempt is made on it too: an attempt that the real proxy blocks must succeed here,
 * or it proves nothing.
 */
import { once } from 'node:events'
import { connect, createServer, isIP, type Socket } from 'node:net'
import { listen, type Outside } from '../../../src/egress/test-outside.ts'
import type { EgressParts } from '../../../src/egress/create-egress.ts'

export interface BareProxy extends AsyncDisposable {
  readonly port: number
}

export async function openBareProxy(
  outside: Outside,
  changes: Partial<EgressParts> = {},
): Promise<BareProxy> {
  const sockets = new Set<Socket>()
  const parts = outside.parts(changes)
  const goOut = async (target: string): Promise<Socket> => {
    const host = hostOf(target)
    try {
      const address = await resolveTwice(host, parts)
      return parts.connect?.(address, 443) ?? connect(outside.port, '127.0.0.1')
    } catch {
      return connect(outside.port, '127.0.0.1') // fails open
    }
  }
  const server = createServer((client) => {
    sockets.add(client.on('error', () => undefined))
    void serve(client, goOut).catch(() => client.destroy())
  })
  const port = await listen(server)
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}

async function serve(client: Socket, goOut: (target: string) => Promise<Socket>): Promise<void> {
  let bytes = await readHead(client)
  let upstream: Socket
  do {
    const end = bytes.indexOf('\r\n\r\n') + 4
    upstream = await goOut(/^[A-Z]+ (.*) HTTP/.exec(bytes.toString())?.[1] ?? '')
    join(upstream, client)
    if (upstream.connecting) await once(upstream, 'connect')
    client.write('HTTP/1.1 200 OK\r\n\r\n')
    bytes = bytes.subarray(end)
  } while (bytes.toString('latin1').startsWith('CONNECT '))
  upstream.write(bytes)
  client.pipe(upstream).pipe(client)
}

/** Either socket's end ends the other. */
function join(upstream: Socket, client: Socket): void {
  upstream.on('error', () => client.destroy()).once('close', () => client.destroy())
  client.once('close', () => upstream.destroy())
}

/** Reads up to the blank line, without a deadline, and leaves the stream paused. */
async function readHead(client: Socket): Promise<Buffer> {
  let bytes = Buffer.alloc(0)
  while (!bytes.includes('\r\n\r\n')) {
    const chunk = client.read() as Buffer | null
    if (chunk === null) await once(client, 'readable')
    else bytes = Buffer.concat([bytes, chunk])
  }
  return bytes
}

/** Parses the host as a browser would, after cutting off a scheme, everything behind a NUL, and the port. */
function hostOf(target: string): string {
  const [name = ''] = target.replace(/^http:\/\//, '').split('\0')
  const { hostname } = new URL(`https://${name.replace(/:\s*\d+$/, '')}`)
  return hostname.replace(/^\[|\]$/g, '')
}

/** Resolves once to check and once to connect (TOCTOU): the answer may have changed in between. */
async function resolveTwice(host: string, { resolve }: EgressParts): Promise<string> {
  if (isIP(host) !== 0) return host
  const signal = AbortSignal.timeout(1000)
  await resolve?.(host, signal)
  const answers = await resolve?.(host, signal)
  return answers?.[0] ?? '127.0.0.1'
}
