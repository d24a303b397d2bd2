/**
 * A client over standard input and output: one message a line. `cordon gateway` passes its streams, or else the bytes, on
 * to this end, which is in the kernel's process. A client that does not read, or sends a line without an end, loses its
 * own connection.
 */
import type { Readable, Stream, Writable } from 'node:stream'
import { BriefMap } from '../text/brief-map.ts'
import type { JsonObject } from '../text/json.ts'
import { LineReader } from '../text/line-reader.ts'
import { answerMessage, type Answering, asRpcError, type Peer } from './answer-message.ts'
import { ClientLink } from './client-link.ts'
import type { ClientSession } from './client-session.ts'
import {
  errorMessage,
  idIn,
  INVALID_REQUEST,
  PARSE_ERROR,
  readMessage,
  RpcError,
} from './rpc-message.ts'

const LONGEST_LINE = 16 * 2 ** 20
/** Answers that wait for a client to read them. */
const MOST_UNREAD = 64 * 2 ** 20

/** Two streams, or one socket that is both; the end of the input ends the output. */
export interface LineStreams {
  readonly input: Readable
  readonly output: Writable
}

/** Resolves when the connection ends. */
export async function serveLines(
  answering: Answering,
  session: ClientSession,
  { input, output }: LineStreams,
): Promise<void> {
  const link = new ClientLink()
  const peer: Peer = { session, link, underWay: new BriefMap() }
  const write = (lines: string): void => {
    if (output.writable) output.write(lines)
    if (output.writableLength > MOST_UNREAD) output.destroy()
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
      flood: () => output.destroy(),
    },
  )
  using _drained = answering.drain.follow(() => output.end())
  input.on('data', (chunk: Buffer) => reader.push(chunk))
  await endOf({ input, output })
  for (const cancelling of peer.underWay.values()) cancelling.abort()
  link.close()
}

/** Resolves when the output is closed; the end or failure of either stream leads there. */
async function endOf({ input, output }: LineStreams): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  // One turn later: a line that came together with the end is answered first, if no server has to be asked.
  const endSoon = (): void => void setImmediate(() => output.end())
  input.on('end', endSoon)
  input.on('close', endSoon)
  for (const stream of [input, output]) stream.on('error', () => output.destroy())
  // Separate streams: the reading side of the output never ends, so that it would stay open after the last answer.
  if ((input as Stream) !== output) output.on('finish', () => output.destroy())
  output.on('close', () => {
    input.destroy()
    resolve()
  })
  await closed
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
    notify(errorMessage(idIn(text), asRpcError(error, answering.log)))
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(PARSE_ERROR, 'This is no JSON')
  }
}
