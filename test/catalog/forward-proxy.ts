/** An HTTP proxy on loopback as companies have one: it wants a login, and leads every CONNECT to one port. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface ForwardProxy extends AsyncDisposable {
  readonly port: number
  /** `host:port login`, in order. */
  readonly asked: string[]
}

export async function openForwardProxy(target: number, login: string): Promise<ForwardProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  }
  const server = createServer()
  server.on('connection', keep)
  server.on('connect', (request, client: Socket) => {
    const given = request.headers['proxy-authorization'] ?? ''
    asked.push(`${request.url} ${given}`)
    if (given !== `Basic ${Buffer.from(login).toString('base64')}`) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const upstream = keep(connect(target, '127.0.0.1'))
    client.write('HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n')
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
