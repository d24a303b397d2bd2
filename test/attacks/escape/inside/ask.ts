/** A client of the proxy that sends arbitrary bytes, well-formed or not. Runs inside the sandbox. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type Aim, Stopped } from './probe.ts'

const PATIENCE_MS = 60_000

interface Reply {
  /** 0 when the connection closed without an answer. */
  readonly status: number
  readonly reason: string
  /** Open, and paused, when the status is 200. */
  readonly socket: Socket
}

export function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer')))
  return socket
}

/** Sends the bytes and reads the answer to its end, or up to where a tunnel opens. */
export async function ask(port: number, bytes: string | Buffer): Promise<Reply> {
  const socket = open(port)
  const done = Promise.withResolvers<void>()
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.startsWith('HTTP/1.1 200') && text.includes('\r\n\r\n')) done.resolve()
  })
  socket.once('timeout', () => done.reject(new Error('no answer'))).once('close', done.resolve)
  socket.write(bytes)
  await done.promise
  socket.pause().removeAllListeners('data')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1] ?? 0), reason: body.trim(), socket }
}

export function connectTo(target: string): Buffer {
  return Buffer.from(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
}

/** Opens a tunnel through the proxy; throws the proxy's refusal as `Stopped`. */
export async function tunnel(port: number, bytes: string | Buffer): Promise<Socket> {
  const { status, reason, socket } = await ask(port, bytes)
  if (status === 200) return socket
  throw new Stopped(status === 0 ? 'closed without an answer' : `${status} ${reason}`)
}

/** The usual attempt: ask the proxy for this target and succeed if a tunnel opens. */
export async function reach(aim: Aim, target: string): Promise<string> {
  const socket = await tunnel(aim.proxyPort, connectTo(target))
  socket.destroy()
  return `a tunnel to ${target}`
}

/** TLS over an open tunnel. The attacker accepts any certificate. */
async function startTls(socket: Socket, servername: string): Promise<TLSSocket> {
  const tls = connectTls({ socket, servername, rejectUnauthorized: false })
  const outcome = Promise.withResolvers<TLSSocket>()
  const closed = (): void => outcome.reject(new Stopped('closed in the handshake'))
  tls.once('secureConnect', () => outcome.resolve(tls))
  tls.on('error', closed).once('close', closed)
  socket.once('timeout', () => outcome.reject(new Error('no answer')))
  return await outcome.promise
}

/** A whole https GET through an open tunnel. */
export async function get(socket: Socket, host: string): Promise<string> {
  const tls = await startTls(socket, host)
  tls.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of tls) text += String(chunk)
  return text.split('\r\n\r\n')[1] ?? ''
}

/** Requires that an allowed host answers; otherwise a refusal of another host would prove nothing. */
export async function mustReach(port: number, host: string): Promise<void> {
  const name = host.toLowerCase().replace(/\.$/, '')
  const { status, reason, socket } = await ask(port, connectTo(`${host}:443`))
  if (status !== 200) throw new Error(`cannot reach ${host}: ${status} ${reason}`)
  const page = await get(socket, name)
  if (page !== `hello ${name}`) throw new Error(`${host} answers ${page}`)
}
