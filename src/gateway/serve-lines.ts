/**
 * A client over standard input and output: one message a line. `cordon gateway` only passes bytes on to this end, which is
 * in the kernel's process. A client that does not read, or sends a line without an end, loses its own connection.
 */
import type { Duplex } from 'node:stream'
import type { JsonObject } from '../text/json.ts'
import { LineReader } from '../text/line-reader.ts'
import { answerMessage, type Answering, asRpcError, type Peer } from './answer-message.ts'
import { ClientLink } from './client-link.ts'
import type { ClientSession } from './client-session.ts'
import { errorMessage, INVALID_REQUEST, PARSE_ERROR, readMessage, RpcError } from './rpc-message.ts'

const LONGEST_LINE = 16 * 2 ** 20
/** Answers that wait for a client to read them. */
const MOST_UNREAD = 64 * 2 ** 20

/** Resolves when the connection ends. */
export async function serveLines(
  answering: Answering,
  session: ClientSession,
  connection: Duplex,
): Promise<void> {
  let isGone = false
  const link = new ClientLink()
  const peer: Peer = { session, link, underWay: new Map() }
  const write = (lines: string): void => {
    if (!isGone) connection.write(lines)
    if (connection.writableLength > MOST_UNREAD) connection.destroy()
  }
  const send = sendTogether(write)
  link.attach(send)
  const refuse = (code: number, why: string): void =>
    send(errorMessage(null, new RpcError(code, why)))
  const reader = new LineReader(
    { lineBytes: LONGEST_LINE, floodBytes: 4 * LONGEST_LINE },
    {
      line: (text) => void take(answering, peer, text, send),
      oversize: () => refuse(INVALID_REQUEST, 'The message is longer than 16 MiB'),
      flood: () => connection.destroy(),
    },
  )
  const ended = Promise.withResolvers<void>()
  using _drained = answering.drain.follow(() => connection.end())
  connection.on('data', (chunk: Buffer) => reader.push(chunk))
  connection.on('error', () => connection.destroy())
  connection.on('end', () => connection.end())
  connection.on('close', () => {
    isGone = true
    for (const cancelling of peer.underWay.values()) cancelling.abort()
    link.close()
    ended.resolve()
  })
  await ended.promise
}

/** All messages of one tick leave in one write: each write wakes the reader, which costs more than the message. */
function sendTogether(write: (lines: string) => void): (message: JsonObject) => void {
  let unsent = ''
  return (message) => {
    if (unsent === '') {
      process.nextTick(() => {
        const lines = unsent
        unsent = ''
        write(lines)
      })
    }
    unsent += `${JSON.stringify(message)}\n`
  }
}

async function take(
  answering: Answering,
  peer: Peer,
  text: string,
  notify: (message: JsonObject) => void,
): Promise<void> {
  if (text.trim() === '') return
  try {
    const channel = { notify, cancelling: new AbortController() }
    const answer = await answerMessage(answering, peer, readMessage(parsed(text)), channel)
    if (answer) notify(answer)
  } catch (error) {
    notify(errorMessage(null, asRpcError(error, answering.log)))
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(PARSE_ERROR, 'This is no JSON')
  }
}
