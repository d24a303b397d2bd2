/**
 * Asks the owner's proxy, on a connection to it, for a tunnel to one host: `CONNECT host:port`. Bounded in bytes and in
 * time. The proxy's answer is read up to its empty line, and nothing of it is shown but the status.
 */
import type { Socket } from 'node:net'
import { connect as connectTls, rootCertificates } from 'node:tls'
import type { ForwardProxy } from '../../text/chosen-way.ts'
import type { HostPort } from './host-name.ts'

const LONGEST_HEAD = 16_384
const STATUS = /^HTTP\/1\.[01] (\d{3})(?: |\r)/
const END = '\r\n\r\n'

/** A socket that leads to the target, or the reason why there is none. The caller owns the socket that is passed in. */
export async function askForward(
  socket: Socket,
  proxy: ForwardProxy,
  target: HostPort,
  timeoutMs: number,
): Promise<Socket | string> {
  const { host, authorities, authorization } = proxy
  const isTls = authorities !== undefined
  const ca = isTls ? [...rootCertificates, authorities] : []
  const inner = isTls ? connectTls({ socket, ca, ...nameOf(host) }) : socket
  const place = `${target.host}:${target.port}`
  const login = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`
  inner.on('error', () => undefined) // told by `close`
  inner.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${login}\r\n`, 'latin1')
  const head = await readHead(inner, timeoutMs)
  const status = head === undefined ? undefined : Number(STATUS.exec(head)?.[1] ?? 0)
  if (status === 200) return inner
  inner.destroy()
  return problemOf(status)
}

function problemOf(status: number | undefined): string {
  if (status === undefined) return 'does not answer'
  if (status === 407) return 'asks for a login'
  return status === 0 ? 'answers nonsense' : `refuses with status ${status}`
}

/** Servers choose a certificate by name; an address is none. */
function nameOf(host: string): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host }
}

/** Undefined if the connection closes, is silent or says too much before the empty line. Later bytes stay in the stream. */
async function readHead(socket: Socket, timeoutMs: number): Promise<string | undefined> {
  const outcome = Promise.withResolvers<string | undefined>()
  const giveUp = (): void => outcome.resolve(undefined)
  let bytes: Buffer = Buffer.alloc(0)
  const onData = (piece: Buffer): void => {
    bytes = Buffer.concat([bytes, piece])
    const end = bytes.indexOf(END)
    if (end < 0) return bytes.length > LONGEST_HEAD ? giveUp() : undefined
    socket.pause().off('data', onData)
    const rest = bytes.subarray(end + END.length)
    if (rest.length > 0) socket.unshift(rest)
    outcome.resolve(bytes.subarray(0, end + 2).toString('latin1'))
  }
  const timer = setTimeout(giveUp, timeoutMs)
  socket.on('data', onData).once('close', giveUp).once('end', giveUp)
  try {
    return await outcome.promise
  } finally {
    clearTimeout(timer)
    socket.off('data', onData).off('close', giveUp).off('end', giveUp)
  }
}
