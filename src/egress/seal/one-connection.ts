/**
 * An agent for Node's HTTP client that has one connection, opened by its caller, and lends it to one request at a time.
 * Node's own agent keeps pools by host and options, which costs a sealed call more time than its encryption.
 */
import type { Agent, ClientRequest } from 'node:http'
import type { TLSSocket } from 'node:tls'

/** The part of an agent that a request of Node's calls. */
interface Lender {
  readonly defaultPort: number
  readonly protocol: string
  /** A request writes `Connection: keep-alive`, and gives the connection back at the end of its answer. */
  readonly keepAlive: true
  addRequest(request: ClientRequest): void
}

/** Borrows the connection. A request that comes after its end is destroyed. */
export function oneConnection(outer: TLSSocket): Agent {
  const waiting: ClientRequest[] = []
  let isLent = false
  const next = (): void => {
    const request = waiting.shift()
    isLent = request !== undefined
    if (request?.destroyed === true) next()
    else request?.onSocket(outer)
  }
  outer.on('free', next)
  outer.once('close', () => {
    for (const request of waiting.splice(0)) refuse(request)
  })
  const lender: Lender = {
    defaultPort: 443,
    protocol: 'http:',
    keepAlive: true,
    addRequest(request) {
      if (outer.destroyed) {
        refuse(request)
        return
      }
      waiting.push(request)
      if (!isLent) next()
    },
  }
  return lender as unknown as Agent
}

/** Node's agents end a request without a connection in this way; `destroy` alone tells nobody of its end. */
interface Unconnected {
  onSocket(socket: undefined, error: Error): void
}

function refuse(request: ClientRequest): void {
  const unconnected = request as unknown as Unconnected
  unconnected.onSocket(undefined, new Error('the connection has ended'))
}
