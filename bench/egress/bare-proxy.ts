/** The simplest CONNECT proxy in Node, without any check, and the same behind a socat bridge: what Cordon's is compared to. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Way {
  readonly port: number
  /** The target of the CONNECT request; undefined connects straight to the host. */
  readonly target?: string
}

export function createBare(echo: number): HttpServer {
  const server = createHttpServer((_, response) => response.writeHead(405).end())
  server.on('connection', (socket) => socket.setNoDelay(true))
  server.on('connect', (request, client, head) => {
    const [host = ''] = (request.url ?? '').split(':')
    const upstream = connect({ host, port: echo, noDelay: true }, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      if (head.length > 0) upstream.write(head)
      client.pipe(upstream).pipe(client)
    })
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    upstream.on('error', end).once('close', end)
    client.on('error', end).once('close', end)
  })
  return server
}

/** Undefined, with a message on stderr, where socat is not installed. */
export async function openBridge(
  socketPath: string,
  echo: number,
  stack: AsyncDisposableStack,
): Promise<Way | undefined> {
  const bare = createBare(echo).listen({ path: socketPath, backlog: 1024 })
  await once(bare, 'listening')
  stack.defer(() => void bare.close())
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const listenOn = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=1024`
  const socat = spawn('socat', [listenOn, `UNIX-CONNECT:${socketPath}`], { stdio: 'ignore' })
  const failed = await Promise.race([once(socat, 'error'), sleep(500, undefined)])
  if (failed !== undefined) {
    process.stderr.write('socat is not installed: its bar is MISSED (apt-get install socat)\n')
    return undefined
  }
  stack.defer(() => void socat.kill())
  return { port, target: `127.0.0.1:${echo}` }
}
