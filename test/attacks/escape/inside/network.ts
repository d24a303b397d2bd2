/** Attempts to reach anything but the proxy. */
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { connect, type NetConnectOpts } from 'node:net'
import { type Attempts, forEach } from './probe.ts'

const PATIENCE_MS = 60_000

/** Connects and returns the first data that the listener sends. */
export function talk(where: NetConnectOpts): Promise<string> {
  const said = Promise.withResolvers<string>()
  const socket = connect(where)
  socket.setTimeout(PATIENCE_MS, () => said.reject(new Error('no answer')))
  socket.once('error', said.reject)
  socket.once('data', (data) => said.resolve(String(data)))
  return said.promise.finally(() => socket.destroy())
}

/** A DNS query for the A record of example.com. */
const QUESTION = Buffer.from('000101000001000000000000076578616d706c6503636f6d0000010001', 'hex')

function askResolver(address: string): Promise<string> {
  const answer = Promise.withResolvers<string>()
  const socket = createSocket('udp4')
  const timer = setTimeout(() => answer.reject(new Error('no answer')), PATIENCE_MS)
  socket.once('error', answer.reject)
  socket.once('message', (data) => answer.resolve(`${data.length} bytes back`))
  socket.send(QUESTION, 53, address, (error) => error && answer.reject(error))
  return answer.promise.finally(() => {
    clearTimeout(timer)
    socket.close()
  })
}

export const NETWORK: Attempts = {
  34: (aim) => ({ 'a port': () => talk({ host: '127.0.0.1', port: aim.hostPort }) }),
  35: () => forEach(['169.254.169.254', '10.99.0.1'], (host) => talk({ host, port: 80 })),
  36: () => forEach(['8.8.8.8'], askResolver),
  37: () =>
    forEach(['secret.example.com'], async (name) => (await lookup(name, { family: 4 })).address),
}
