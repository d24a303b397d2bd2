/**
 * The SDK's transport over two open streams: the pipes of a process, or a socket. It never opens a stream and never
 * ends a process; its caller does both. One message per line; a line that is no message is noise, which goes to the
 * server's log and is otherwise ignored.
 */
import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type Allowance, createAllowance } from './allowance.ts'
import { ConnectionLost, notWhole } from './failure.ts'
import { isDeeperThan } from '../../text/bounded-json.ts'
import { isJsonObject, MAX_DEPTH, MAX_VALUES } from './json-bounds.ts'
import { createPace } from '../../text/pace.ts'
import { hasMoreValuesThan } from '../../text/value-counter.ts'
import { LineReader } from '../../text/line-reader.ts'

const LINE_BYTES = 16 * 2 ** 20
const FLOOD_BYTES = 256 * 2 ** 20
/** A program that writes this many lines in a row without a message does not speak MCP. */
const NOISE_LINES = 10_000
/** More than the largest call: bounds the buffer for a server that does not read its input. */
const UNREAD_BYTES = 64 * 2 ** 20
/** Rate limit of messages that answer no request: reading them takes time from all other servers. */
const UNASKED = { atOnce: 64 * 2 ** 20, perSecond: 2 ** 20 }
/**
 * Milliseconds of the kernel's thread, which all servers share. Reading long lines takes them, wanted or not: a server that
 * answers every call with 16 MB gets a fiftieth of the thread, and waits in between. On a busy machine the same answer costs
 * more.
 */
const READ = { atOnce: 800, perSecond: 20 }
/** A shorter answer costs the thread less than its call did, so the caller's own pace bounds it. */
const LONG_LINE = 16 * 1024
/** For what happens to an answer after it was parsed, which is spread over many turns: copying, redaction, labels. */
const LATER_MS_PER_BYTE = 4 / 2 ** 20
/** Overhead of a message, in bytes that cost as much to read. */
const MESSAGE_COST = 1000
/** Bound on remembered requests without an answer; the callers of the oldest have long given up. */
const MOST_ASKED = 10_000
/** Enough of either end of an answer to find its id there. */
const END_CHARACTERS = 256
const OVERSIZE = 'The answer of the server is larger than 16 MiB'
const TOO_MANY = `The answer of the server has more than ${MAX_VALUES.toLocaleString('en')} values`
const TOO_DEEP = 'The answer of the server is nested too deeply'

export interface LineEnds {
  readonly stdin: Writable
  readonly stdout: Readable
}

type Message = Readonly<Record<string, unknown>>
type Divert = (message: Message) => boolean
type Watch = (direction: 'sent' | 'received', message: Message | JSONRPCMessage) => void

export class LineTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  /** The SDK takes a transport with `stderr` and `pid` for a local server, whose silence it treats differently. */
  readonly stderr = null
  readonly pid = null
  /** The reason why Cordon closed the connection; undefined if the server did. Completes "it …". */
  failure: string | undefined
  readonly #ends: LineEnds
  readonly #noise: (line: string) => void
  readonly #reader: LineReader
  #noiseLines = 0
  #closed = false
  /** The messages of this tick, one per line. */
  #unsent = ''
  #drained: Promise<void> | undefined
  #divert: Divert | undefined
  #watch: Watch | undefined
  readonly #asked = new Set<unknown>()
  readonly #mayBeUnasked = createAllowance(UNASKED)
  readonly #owedMs: (amount: number) => number
  #resting: NodeJS.Timeout | undefined
  /** Whether a long line ended in this chunk. */
  #hadLong = false
  readonly #ended = Promise.withResolvers<void>()

  constructor(ends: LineEnds, noise: (line: string) => void, read: Allowance = READ) {
    this.#ends = ends
    this.#owedMs = createPace(read)
    this.#noise = noise
    this.#reader = new LineReader(
      { lineBytes: LINE_BYTES, floodBytes: FLOOD_BYTES },
      {
        line: (text) => this.#takeLine(text),
        oversize: (head, tail) => this.#takeOversize(head, tail),
        flood: () => this.#giveUp('writes without end'),
      },
    )
  }

  /** Settles when the transport is closed. */
  get closed(): Promise<void> {
    return this.#ended.promise
  }

  /** Sets a function that sees each message before the SDK does, and returns whether it took the message. */
  divert(take: Divert): void {
    this.#divert = take
  }

  /** Sets a function that sees each message that is sent, and each that is delivered. */
  watch(see: Watch): void {
    this.#watch = see
  }

  async start(): Promise<void> {
    const { stdin, stdout } = this.#ends
    stdout.on('data', (chunk: Buffer) => {
      if (this.#closed) return
      this.#hadLong = false
      const began = performance.now()
      this.#reader.push(chunk)
      if (!this.#hadLong && this.#reader.unfinished <= LONG_LINE) return
      const spentMs = performance.now() - began
      const waitMs = this.#owedMs(spentMs + chunk.length * LATER_MS_PER_BYTE)
      if (waitMs > 0) this.#rest(waitMs)
    })
    stdout.once('close', () => this.#hangUp())
    stdout.on('error', (error) => this.onerror?.(error))
    // A broken pipe is not reported as an error: the end of the process tells more.
    stdin.on('error', () => this.#hangUp())
  }

  /** Waits as long as the server does not read. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.post(message)) throw new ConnectionLost()
    await nextTick() // written by then
    await this.#drained
  }

  /**
   * Sends without waiting; false if the transport is closed. All messages of one tick leave in one write: each write
   * wakes the server, and on a busy machine that takes this process off its core.
   */
  post(message: JSONRPCMessage): boolean {
    if (this.#closed) return false
    const line = `${JSON.stringify(message)}\n`
    this.#watch?.('sent', message)
    this.#remember(message)
    if (this.#unsent === '') process.nextTick(() => this.#write())
    this.#unsent += line
    return true
  }

  async close(): Promise<void> {
    this.#hangUp()
  }

  #rest(waitMs: number): void {
    const { stdout } = this.#ends
    if (this.#closed) return
    stdout.pause()
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => stdout.resume(), waitMs)
  }

  #remember(message: JSONRPCMessage): void {
    if (!('method' in message && 'id' in message)) return
    this.#asked.add(message.id)
    if (this.#asked.size <= MOST_ASKED) return
    const [oldest] = this.#asked
    this.#asked.delete(oldest)
  }

  #write(): void {
    if (this.#closed) return
    const { stdin } = this.#ends
    const isTaken = stdin.write(this.#unsent)
    this.#unsent = ''
    if (isTaken) return
    if (stdin.writableLength > UNREAD_BYTES) this.#giveUp('does not read what it is sent')
    this.#drained ??= this.#waitForDrain()
  }

  #waitForDrain(): Promise<void> {
    const { stdin } = this.#ends
    const { promise, resolve } = Promise.withResolvers<void>()
    stdin.once('drain', resolve)
    stdin.once('close', resolve)
    return promise.finally(() => {
      stdin.off('drain', resolve)
      stdin.off('close', resolve)
      this.#drained = undefined
    })
  }

  #takeLine(text: string): void {
    this.#hadLong ||= text.length > LONG_LINE
    if (text.length > MAX_VALUES && hasMoreValuesThan(text, MAX_VALUES)) {
      this.#takeOversize(text.slice(0, END_CHARACTERS), text.slice(-END_CHARACTERS), TOO_MANY)
      return
    }
    const message = parseMessage(text)
    if (!this.#isWelcome(message, text.length))
      return this.#giveUp('sends more than anybody asked for')
    if (message === undefined) {
      if (text.trim() === '') return
      this.#noise(text)
      this.#noiseLines += 1
      if (this.#noiseLines >= NOISE_LINES) this.#giveUp('writes text that is not MCP')
      return
    }
    this.#noiseLines = 0
    if (isDeeperThan(message, MAX_DEPTH)) this.#fail(idOf(message), TOO_DEEP)
    else this.#deliver(message as unknown as JSONRPCMessage)
  }

  /** The first answer to a request is not rate-limited; every other message is. */
  #isWelcome(message: Message | undefined, size: number): boolean {
    const isAnswer = message !== undefined && !('method' in message)
    if (isAnswer && this.#asked.delete(message['id'])) return true
    return this.#mayBeUnasked(size + MESSAGE_COST)
  }

  #takeOversize(head: string, tail: string, problem = OVERSIZE): void {
    this.#hadLong = true
    // The server chooses where the id stands; a wrong id can only fail another call of the same server.
    const found =
      /^\{(?:"jsonrpc":"2\.0",)?"id":(\d+),/.exec(head) ?? /,"id":(\d+)\}\s*$/.exec(tail)
    const id = found ? Number(found[1]) : undefined
    const isAnswer = id !== undefined && this.#asked.delete(id)
    if (isAnswer || this.#mayBeUnasked(LINE_BYTES)) this.#fail(id, problem)
    else this.#giveUp('sends more than anybody asked for')
  }

  #fail(id: number | undefined, message: string): void {
    if (id === undefined) this.#giveUp('sent a message above the limits')
    else this.#deliver({ jsonrpc: '2.0', id, error: notWhole(message) })
  }

  #deliver(message: JSONRPCMessage): void {
    if (this.#closed) return
    this.#watch?.('received', message)
    if (this.#divert?.(message) === true) return
    this.onmessage?.(message)
  }

  #giveUp(failure: string): void {
    if (this.#closed) return
    this.failure = failure
    this.#hangUp()
  }

  #hangUp(): void {
    if (this.#closed) return
    this.#closed = true
    const { stdin, stdout } = this.#ends
    if (this.#unsent !== '') stdin.write(this.#unsent)
    stdin.end()
    clearTimeout(this.#resting)
    stdout.resume()
    this.onclose?.()
    this.#ended.resolve()
  }
}

function nextTick(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.nextTick(resolve)
  return promise
}

function parseMessage(text: string): Message | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && value['jsonrpc'] === '2.0' ? value : undefined
  } catch {
    return undefined
  }
}

function idOf(message: Message): number | undefined {
  const { id } = message
  return typeof id === 'number' && !('method' in message) ? id : undefined
}
