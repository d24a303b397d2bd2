/**
 * Reaches the first of several vetted addresses that answers. It takes addresses, never names:
 * nothing is resolved here.
 */
import { connect, type Socket } from 'node:net'

/** Starts a connection to an address. A test leads it to a server of its own. */
export type Connect = (address: string, port: number) => Socket

export interface Dialled {
  readonly socket: Socket
  readonly address: string
}

export interface DialOptions {
  readonly connect: Connect
  /** For all addresses together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const MOST_ADDRESSES = 4

export const connectDirectly: Connect = (address, port) =>
  connect({ host: address, port, noDelay: true, allowHalfOpen: true })

/** Undefined where no address answers in time. The caller owns the socket. */
export async function dial(
  addresses: readonly string[],
  port: number,
  options: DialOptions,
): Promise<Dialled | undefined> {
  const tried = addresses.slice(0, MOST_ADDRESSES)
  for (const address of tried) {
    if (options.signal.aborted) return undefined
    const socket = options.connect(address, port)
    const timeoutMs = options.timeoutMs / tried.length
    if (await isConnected(socket, timeoutMs, options.signal)) return { socket, address }
    socket.destroy()
  }
  return undefined
}

/** Its errors are heard from here on, for as long as it lives: an unheard one would end the process. */
export async function isConnected(
  socket: Socket,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const outcome = Promise.withResolvers<boolean>()
  const giveUp = (): void => outcome.resolve(false)
  const timer = setTimeout(giveUp, timeoutMs)
  signal.addEventListener('abort', giveUp)
  socket.on('error', giveUp)
  socket.once('connect', () => outcome.resolve(true))
  try {
    return await outcome.promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}
