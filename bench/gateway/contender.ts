/** A gateway that is measured, and the server that stands behind each. */
import { fileURLToPath } from 'node:url'
import type { Link } from './link.ts'

export const ECHO_SERVER: string = fileURLToPath(new URL('echo-server.mjs', import.meta.url))

/** `sse` is the older HTTP+SSE: its answers come on a second connection, while the client still reads the first. */
export type Way = 'http' | 'sse' | 'stdio'

export interface Contender {
  readonly name: string
  readonly way: Way
  /** One server is all it can have. */
  readonly isSingle?: true
  /** Makes what is in use before it is started, and leaves nothing running; not measured. */
  furnish?(name: string, servers: number, folder: string, signal: AbortSignal): Promise<void>
  /** Its start is that of another contender. */
  readonly callsOnly?: true
  /** Starts it with so many servers, in a folder of its own, and connects. Gives up when the signal aborts. */
  start(servers: number, folder: string, signal: AbortSignal): Promise<Link>
  /** How `name` is called: most list the server's tools under a name that ends so. */
  readonly callOf?: (
    tool: string,
    args: object,
  ) => { readonly name: string; readonly arguments: object }
}
