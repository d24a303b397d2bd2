/**
 * Starts the line that stands in a client's configuration, as the client would: without a shell, without the terminal's
 * environment, one message a line. Connects, lists the tools and ends the process. Only ever starts Cordon itself.
 */
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { CordonError } from '../../kernel/error.ts'
import { LineReader } from '../../text/line-reader.ts'

interface StartLine {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** A client that a desktop starts has no more than this. */
const PATH = '/usr/local/bin:/usr/bin:/bin'
const LONGEST_MS = 60_000
const LONGEST_LINE = 64 * 2 ** 20
const VERSION = '2025-06-18'

export async function tryStartLine(
  { command, args, env }: StartLine,
  home: string,
  signal: AbortSignal,
): Promise<{ readonly tools: number }> {
  const child = spawn(command, args, {
    env: { HOME: home, PATH, ...env },
    cwd: home,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new AbortController()
  child.on('error', () => ended.abort()) // listened to first: without descriptors left, the child has no pipes
  child.once('close', () => ended.abort())
  const said = lastWords(child.stderr)
  child.stdin.on('error', () => undefined) // the process may have ended
  const over = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(LONGEST_MS)])
  try {
    const ask = createAsking(child.stdin, child.stdout, over)
    const clientInfo = { name: 'cordon-check', version: '1' }
    await ask('initialize', { protocolVersion: VERSION, capabilities: {}, clientInfo })
    child.stdin.write(lineOf({ method: 'notifications/initialized' }))
    return { tools: await countTools(ask) }
  } catch (cause) {
    throw new CordonError(
      'clients.start-line',
      { exit: 5, hint: 'Run `cordon doctor`, then try again' },
      `Cannot connect by the client's own start line${said() ? `: it says ${JSON.stringify(said())}` : ''}`,
      cause,
    )
  } finally {
    child.kill()
  }
}

type Asking = (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>

function createAsking(
  input: { write(line: string): boolean },
  output: Readable,
  over: AbortSignal,
): Asking {
  const waiting = new Map<number, (message: Readonly<Record<string, unknown>>) => void>()
  const reader = new LineReader(
    { lineBytes: LONGEST_LINE, floodBytes: 2 * LONGEST_LINE },
    {
      line(text) {
        const message = messageIn(text)
        if (message) waiting.get(message.id ?? -1)?.(message)
        else output.destroy()
      },
      oversize: () => output.destroy(),
      flood: () => output.destroy(),
    },
  )
  output.on('data', (chunk: Buffer) => reader.push(chunk))
  let asked = 0
  return async (method, params) => {
    const id = (asked += 1)
    const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>()
    const leave = (): void => reject(new Error(`${method} was not answered`))
    over.addEventListener('abort', leave)
    waiting.set(id, resolve)
    if (over.aborted) leave()
    else input.write(lineOf({ id, method, params }))
    try {
      const { result } = await promise
      if (typeof result === 'object' && result !== null) return { ...result }
      throw new Error(`${method} was refused`)
    } finally {
      over.removeEventListener('abort', leave)
      waiting.delete(id)
    }
  }
}

type Message = { readonly id?: number } & Readonly<Record<string, unknown>>

/** Undefined for a line that is none: an error here would be thrown out of an event, and end Cordon. */
function messageIn(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Message) : undefined
  } catch {
    return undefined
  }
}

async function countTools(ask: Asking): Promise<number> {
  let count = 0
  let cursor: unknown
  do {
    const page = await ask('tools/list', cursor === undefined ? {} : { cursor })
    const { tools, nextCursor } = page
    count += Array.isArray(tools) ? tools.length : 0
    cursor = nextCursor
  } while (typeof cursor === 'string')
  return count
}

function lineOf(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

/** The last line of standard error. It is Cordon's own, which never names a secret. */
function lastWords(stderr: Readable): () => string {
  let text = ''
  stderr.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4000)
  })
  return () => {
    const lines = text.trim().split('\n')
    // The end of a Node program that failed is its version, and that of Cordon a hint.
    const told = lines.findLast((line) => /^(?!\s+at ).*error/i.test(line)) ?? lines.at(-1)
    return told?.trim().slice(0, 300) ?? ''
  }
}
