/** Connects to the first of several vetted addresses that answers. Takes addresses, never names: resolves nothing. */
import { connect, type Socket } from 'node:net'

/** Starts a connection to an address. A test redirects it to a server of its own. */
export type Connect = (address: string, port: number) => Socket

export interface Dialled {
  readonly socket: Socket
  readonly address: string
}

export interface DialOptions {
  readonly connect: Connect
  /** Shared by all addresses together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const MOST_ADDRESSES = 4

export const connectDirectly: Connect = (address, port) =>
  connect({ host: address, port, noDelay: true, allowHalfOpen: true })

/** Undefined if no address answers in time. The caller owns the socket. */
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

/** The error listener stays on the socket for good: an unhandled `error` event would end the process. */
export function isConnected(
  socket: Socket,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isGood: boolean): void => {
      resolve(isGood)
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
    const giveUp = (): void => end(false)
    const timer = setTimeout(giveUp, timeoutMs)
    signal.addEventListener('abort', giveUp)
    socket.on('error', giveUp)
    socket.once('connect', () => end(true))
  })
}
