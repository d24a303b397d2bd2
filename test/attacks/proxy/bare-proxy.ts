/**
 * A CONNECT proxy as it is usually written, with no rules at all. Every attack is tried on it too: what the real proxy
 * blocks must get through here, or the test proves nothing.
 */
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { listen, type Outside } from '../../../src/egress/test-outside.ts'

export interface BareProxy extends AsyncDisposable {
  readonly port: number
}

export async function openBareProxy(outside: Outside): Promise<BareProxy> {
  const sockets = new Set<Duplex>()
  const server = createServer((_, response) => response.end())
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)))
  server.on('connect', (request: IncomingMessage, client, head) => {
    void serve(request.url ?? '', client, head, outside).catch(() => client.destroy())
  })
  const port = await listen(server)
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function serve(
  target: string,
  client: Duplex,
  head: Buffer,
  outside: Outside,
): Promise<void> {
  const { hostname } = new URL(`https://${target}`)
  const address = await resolveLike(hostname.replace(/^\[|\]$/g, ''), outside)
  const upstream = outside.parts().connect?.(address, 443)
  if (upstream === undefined) return
  upstream.on('error', () => client.destroy()).once('close', () => client.destroy())
  client.once('close', () => upstream.destroy())
  await once(upstream, 'connect')
  client.write('HTTP/1.1 200 OK\r\n\r\n')
  upstream.write(head)
  client.pipe(upstream).pipe(client)
}

/** Twice, as a proxy does that checks a name first and then connects by name. Numbers never leave this machine. */
async function resolveLike(host: string, outside: Outside): Promise<string> {
  if (isIP(host) !== 0) return host
  if (/^[0-9a-fx.]+$/i.test(host)) return (await lookup(host)).address
  const resolve = outside.parts().resolve
  const signal = AbortSignal.timeout(1000)
  await resolve?.(host, signal)
  return (await resolve?.(host, signal))?.[0] ?? '127.0.0.1'
}
