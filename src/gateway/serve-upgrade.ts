/**
 * A client on the kernel's Unix socket, whose mode has identified the owner already; the token says which of their programs
 * it is. After the answer to its `Upgrade` the connection carries lines, or the program's own standard input and output,
 * which are then served without a process in between.
 */
import type { Duplex } from 'node:stream'
import type { Clients } from '../ports/client-port.ts'
import type { Answering } from './answer-message.ts'
import { createSession } from './client-session.ts'
import { tokenIn } from './admit-request.ts'
import type { HttpRequest } from './http-request.ts'
import { type LineStreams, serveLines } from './serve-lines.ts'

const REFUSED = 'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n'
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: mcp\r\nConnection: Upgrade\r\n'
const TAKEN = 'Cordon-Streams: taken\r\n'

export interface UpgradeDeps {
  readonly answering: Answering
  readonly clients: Pick<Clients, 'admit' | 'revoked'>
  /** Takes the streams that the process behind the connection gives; undefined if none came. Absent: not possible here. */
  readonly takeStreams?: (connection: Duplex) => Promise<LineStreams | undefined>
}

type Upgrade = Pick<HttpRequest, 'headers' | 'url'>

/** Never rejects: an error, such as a store that is away, ends this connection and no other. */
export async function serveUpgrade(
  deps: UpgradeDeps,
  request: Upgrade,
  connection: Duplex,
): Promise<void> {
  connection.on('error', () => connection.destroy())
  try {
    await serve(deps, request, connection)
  } catch (error) {
    deps.answering.log.error('A connection of a client could not be served', { error })
    connection.destroy()
  }
}

async function serve(
  deps: UpgradeDeps,
  { headers, url }: Upgrade,
  connection: Duplex,
): Promise<void> {
  const { answering, clients } = deps
  const isAsked = url === '/mcp' && headers['upgrade'] === 'mcp' && headers['origin'] === undefined
  const client = isAsked ? await clients.admit(tokenIn(headers)) : undefined
  if (!client) {
    connection.end(REFUSED)
    return
  }
  const revoked = clients.revoked(client)
  const end = (): void => void connection.destroy()
  revoked.addEventListener('abort', end)
  connection.once('close', () => revoked.removeEventListener('abort', end))
  if (revoked.aborted || connection.destroyed) return end()
  const streams = await streamsOf(deps, headers['cordon-streams'] === 'offered', connection)
  if (streams) await serveLines(answering, createSession(client), streams)
  connection.destroy()
}

async function streamsOf(
  { takeStreams }: UpgradeDeps,
  areOffered: boolean,
  connection: Duplex,
): Promise<LineStreams | undefined> {
  if (!areOffered || !takeStreams) {
    connection.write(`${SWITCHED}\r\n`)
    return { input: connection, output: connection }
  }
  // The streams are given after this answer, so that only the one who takes them reads the connection.
  const taking = takeStreams(connection)
  connection.write(`${SWITCHED}${TAKEN}\r\n`)
  const streams = await taking
  if (streams) endTogether(connection, streams)
  return streams
}

/** The program that gave the streams keeps its connection: when it ends, or its client is removed, they end too. */
function endTogether(connection: Duplex, { input, output }: LineStreams): void {
  const end = (): void => {
    input.destroy()
    output.destroy()
  }
  connection.once('end', end)
  connection.once('close', end)
  if (connection.destroyed) end()
  else connection.resume()
}
