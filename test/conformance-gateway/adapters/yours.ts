/** Any gateway that its owner has configured with the suite's backends and, with a URL, has started. */
import { httpWire } from '../client/wire-http.ts'
import { lineWire } from '../client/wire-lines.ts'
import { sseWire } from '../client/wire-sse.ts'
import type { Adapter, ClientName } from './adapter.ts'

export interface Yours {
  /** A URL, or a program with its arguments. */
  readonly target: readonly [string, ...string[]]
  /** It speaks the older HTTP+SSE only. */
  readonly isOlder: boolean
  /** Values of the Authorization header, by client; from the environment, never from the command line. */
  readonly authorization: Readonly<Partial<Record<ClientName, string>>>
}

export function yoursAdapter({ target, isOlder, authorization }: Yours): Adapter {
  const [first] = target
  if (!/^https?:/.test(first)) {
    return {
      name: 'yours',
      isFixed: true,
      open: async () => ({
        wire: () => lineWire({ command: target }),
        clients: 'processes',
        [Symbol.asyncDispose]: async () => undefined,
      }),
    }
  }
  const targetOf = (client: ClientName) => {
    const value = authorization[client] ?? authorization.one
    return { url: first, ...(value !== undefined && { headers: { Authorization: value } }) }
  }
  return {
    name: 'yours',
    isFixed: true,
    open: async () => ({
      wire: (client) => (isOlder ? sseWire(targetOf(client)) : httpWire(targetOf(client))),
      clients: authorization.two === undefined ? 'sessions' : 'principals',
      ...(!isOlder && { http: targetOf }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  }
}
