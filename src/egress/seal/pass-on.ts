/**
 * Carries one request of a sealed connection to its host, and the answer back. Bodies are streamed with back-pressure
 * and never looked at; trailer fields are dropped, as RFC 9110 §6.5.1 allows.
 */
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { EgressLimits } from '../proxy/limits.ts'
import type { Refusal } from '../proxy/refusals.ts'
import { relay } from '../proxy/relay.ts'
import { showHost } from '../proxy/request-head.ts'
import type { HostPort } from '../reach/host-name.ts'
import { headersToClient, headersToHost, judgeRequest } from './judge-request.ts'
import { fillIn, hideIn, type SealRule } from './seal-rules.ts'

/** A connection of the server and the connection to the host that belongs to it. */
export interface SealedExchange {
  readonly target: HostPort
  readonly rules: readonly SealRule[]
  /** Holds the connection outside. */
  readonly agent: Agent
  /** Whether the host proved its name; no request is written before. */
  readonly secured: Promise<boolean>
  readonly limits: EgressLimits
  readonly owedMs: () => number
  readonly refused: (refusal: Refusal) => void
  readonly heard: Set<string>
  /** Aborts when the server's connection has ended. */
  readonly gone: AbortSignal
  /** Requests that wait for the end of their answer. */
  open: number
  /** An answer has come over it. */
  isUsed: boolean
}

interface Problem {
  readonly status: 400 | 421 | 502
  readonly reason: string
}

/** Few clients send a request before the last answer came; each that waits may hold a head of 32 KB. */
const MOST_OPEN = 32

const UNVERIFIED: Problem = {
  status: 502,
  reason: 'the certificate of the host cannot be verified',
}
const ODD: Problem = { status: 502, reason: 'the answer of the host is not HTTP' }
const UNSENDABLE: Problem = { status: 400, reason: 'the request cannot be passed on' }
const CUT: Problem = { status: 502, reason: 'the host ended the connection' }

export async function passOn(
  exchange: SealedExchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (exchange.open >= MOST_OPEN) return endFlood(exchange, request)
  exchange.open += 1
  response.once('close', () => (exchange.open -= 1))
  const turnDown = (problem: Problem): void => {
    // A host may close an idle connection while a request is on its way. As without a proxy, the client then sees its
    // own connection close, and sends the request again.
    if (response.headersSent || (problem === CUT && exchange.isUsed)) return void response.destroy()
    const headers = { 'Content-Type': 'text/plain', Connection: 'close' }
    response.writeHead(problem.status, headers).end(`Cordon: ${problem.reason}\n`)
  }
  const outgoing = await begin(exchange, request)
  if ('status' in outgoing) return turnDown(outgoing)
  response.once('close', () => outgoing.destroy())
  outgoing.once('error', () => turnDown(CUT))
  outgoing.once('close', () => {
    if (!response.headersSent) turnDown(CUT) // without an error, where a host upgrades unasked
  })
  outgoing.once('continue', () => response.writeContinue())
  outgoing.once('response', (answer) => {
    if (!passBack(exchange, answer, response)) turnDown(ODD)
  })
  if (hasBody(request)) request.pipe(outgoing)
  else outgoing.end() // at once: a pipe would wait for the end of nothing
}

/**
 * Node's server stops reading only when answers are left unread, and parses the requests of a chunk even after a pause, so a
 * connection with too many waiting requests is ended. A client sends them again over others (RFC 9112 §9.3.2).
 */
function endFlood({ target, refused }: SealedExchange, { socket }: IncomingMessage): void {
  if (socket.destroyed) return
  refused({ kind: 'blocked', ...target, reason: 'too many requests without an answer' })
  socket.destroy()
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}

/** For a WebSocket: after the host agreed, bytes are relayed both ways. */
export async function passUpgradeOn(
  exchange: SealedExchange,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  const outgoing = await begin(exchange, request)
  if ('status' in outgoing) return void socket.end(headOf(outgoing.status, outgoing.reason, []))
  socket.once('close', () => outgoing.destroy())
  outgoing.once('error', () => socket.destroy())
  outgoing.once('upgrade', (answer, host, first) => {
    socket.write(answerHead(exchange, answer, UPGRADED), 'latin1')
    socket.write(first)
    void relay(socket, host, { first: head, idleMs: exchange.limits.idleMs })
  })
  outgoing.once('response', (answer) => {
    socket.write(answerHead(exchange, answer, CLOSING), 'latin1')
    answer.pipe(socket)
  })
  outgoing.end()
}

const UPGRADED = ['Connection', 'Upgrade', 'Upgrade', 'websocket']
const CLOSING = ['Connection', 'close']

/** Judges the request, waits for its turn and for the host's proof, fills the placeholders in. Nothing is written if one step fails. */
async function begin(
  exchange: SealedExchange,
  request: IncomingMessage,
): Promise<ClientRequest | Problem> {
  const { target, rules, agent, refused, heard } = exchange
  heard.add(target.host)
  const bad = judgeRequest(request, target.host)
  if (bad) {
    const host = bad.status === 421 ? showHost(request.headers.host ?? '') : target.host
    refused({ kind: 'blocked', ...target, host, reason: bad.reason })
    return bad
  }
  const problem = await awaitTurn(exchange)
  if (problem) return problem
  const { method = 'GET', url: path = '/' } = request
  const { headers, strays } = fillIn(rules, target.host, { path, raw: headersToHost(request) })
  for (const { name, where } of strays) {
    refused({ kind: 'placeholder', ...target, reason: `${name} in ${where}` })
  }
  try {
    return httpRequest({ agent, method, path, headers, setHost: false })
  } catch {
    return UNSENDABLE // Node reads some characters that it does not write
  }
}

/** Waits for the turn of a request and for the host's proof. Afterwards the server may be gone, and the lease of its credentials with it. */
async function awaitTurn({
  target,
  refused,
  secured,
  owedMs,
  gone,
}: SealedExchange): Promise<Problem | undefined> {
  const waitMs = owedMs()
  if (waitMs > 0) await delay(waitMs, undefined, { signal: gone }).catch(() => undefined)
  const isProved = await secured
  if (gone.aborted) return CUT
  if (isProved) return undefined
  refused({ kind: 'failed', ...target, reason: UNVERIFIED.reason })
  return UNVERIFIED
}

/** Node's parser lets other characters pass in the reason of a status, and its writer throws on them. */
const WRITABLE = /^[\t\x20-\x7e\x80-\xff]*$/

/** False for a head that Node reads and does not write. */
function passBack(
  exchange: SealedExchange,
  answer: IncomingMessage,
  response: ServerResponse,
): boolean {
  exchange.isUsed = true
  response.sendDate = false
  if (isLast(answer)) response.shouldKeepAlive = false
  answer.once('error', () => response.destroy())
  const [message, headers] = hiddenHead(exchange, answer)
  const isWritable = (answer.statusCode ?? 0) >= 200 && WRITABLE.test(message)
  if (!isWritable) {
    answer.destroy()
    return false
  }
  response.writeHead(answer.statusCode ?? 502, message, [...headers])
  carryBack(answer, response)
  return true
}

/** As a pipe does, with one listener for each event: most answers are one piece. */
function carryBack(answer: IncomingMessage, response: ServerResponse): void {
  answer.on('data', (piece: Buffer) => {
    if (!response.write(piece)) answer.pause()
  })
  response.on('drain', () => answer.resume())
  answer.once('end', () => response.end())
}

/** The host closes the connection after this answer. */
function isLast({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || /\bclose\b/i.test(headers.connection ?? '')
}

function answerHead(
  exchange: SealedExchange,
  answer: IncomingMessage,
  own: readonly string[],
): string {
  const [message, headers] = hiddenHead(exchange, answer)
  return headOf(answer.statusCode ?? 502, message, [...headers, ...own])
}

/** The reason of the status, and names and values in turn; every value of a credential is a placeholder again. */
function hiddenHead(
  { rules }: SealedExchange,
  { rawHeaders, statusMessage = '' }: IncomingMessage,
): readonly [string, readonly string[]] {
  const [message = '', ...headers] = hideIn(rules, [statusMessage, ...headersToClient(rawHeaders)])
  return [message, headers]
}

function headOf(status: number, message: string, headers: readonly string[]): string {
  const lines = headers.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${headers[index + 1] ?? ''}\r\n`] : [],
  )
  return `HTTP/1.1 ${status} ${message}\r\n${lines.join('')}\r\n`
}
