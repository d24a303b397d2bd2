/** A host that accepts and answers any bytes, and the bytes that an attacker would like to send to it. */
import { connect, createServer, type Socket } from 'node:net'
import { helloFor, helloMessage, records } from '../../../src/egress/proxy/test-hello.ts'
import { listen } from '../../../src/egress/test-outside.ts'

export interface Listener extends Disposable {
  readonly connect: () => Socket
  readonly heard: () => string
}

export async function openListener(): Promise<Listener> {
  let heard = ''
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      socket.write('heard')
    })
  })
  const port = await listen(server)
  return {
    connect: () => connect(port, '127.0.0.1'),
    heard: () => heard,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Bytes, in Base64, that are no TLS handshake with a readable server name. */
export function strangeBytes(): Readonly<Record<string, string>> {
  const kinds: Readonly<Record<string, Buffer>> = {
    'no server name': records(helloMessage(Buffer.alloc(0))),
    'an address as server name': helloFor('127.0.0.1'),
    'plain http': Buffer.from('GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n'),
    'an SSH banner': Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
    'a hello without end': Buffer.concat(Array(9000).fill(Buffer.of(22, 3, 1, 0, 1, 1))),
  }
  return Object.fromEntries(
    Object.entries(kinds).map(([name, bytes]) => [name, bytes.toString('base64')]),
  )
}
