/**
 * A client on the kernel's Unix socket, whose mode has identified the owner already; the token says which of their programs
 * it is. After the answer to its `Upgrade` the connection carries lines.
 */
import type { Duplex } from 'node:stream'
import type { Clients } from '../ports/client-port.ts'
import type { Answering } from './answer-message.ts'
import { createSession } from './client-session.ts'
import { tokenIn } from './admit-request.ts'
import type { HttpRequest } from './http-request.ts'
import { serveLines } from './serve-lines.ts'

const REFUSED = 'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n'
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: mcp\r\nConnection: Upgrade\r\n\r\n'

export async function serveUpgrade(
  answering: Answering,
  clients: Pick<Clients, 'admit' | 'revoked'>,
  { headers, url }: Pick<HttpRequest, 'headers' | 'url'>,
  connection: Duplex,
): Promise<void> {
  connection.on('error', () => connection.destroy())
  const isAsked = url === '/mcp' && headers['upgrade'] === 'mcp' && headers['origin'] === undefined
  const client = isAsked ? await clients.admit(tokenIn(headers)) : undefined
  if (!client) {
    connection.end(REFUSED)
    return
  }
  const revoked = clients.revoked(client.name)
  const end = (): void => void connection.destroy()
  revoked.addEventListener('abort', end)
  connection.once('close', () => revoked.removeEventListener('abort', end))
  if (revoked.aborted) return end()
  connection.write(SWITCHED)
  await serveLines(answering, createSession(client), connection)
}
