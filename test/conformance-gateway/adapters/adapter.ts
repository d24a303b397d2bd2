/** How the suite configures, starts and reaches one gateway. One adapter per gateway. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HttpTarget } from '../client/wire-http.ts'
import type { OpenWire } from '../client/wire.ts'

export interface Backend {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

export type ClientName = 'one' | 'two'

export interface Gateway extends AsyncDisposable {
  wire(client: ClientName): OpenWire
  /**
   * Two clients differ by a secret of each, by their sessions alone, or not at all, because each client has a gateway
   * process of its own.
   */
  readonly clients: 'principals' | 'sessions' | 'processes'
  /** Streamable HTTP, for requests by hand; absent where the gateway has none. */
  readonly http?: (client: ClientName) => HttpTarget
}

export interface Adapter {
  readonly name: string
  /** It takes one server only. */
  readonly isSingle?: true
  /** It is configured and started by somebody else: it always has every backend, and is never started anew. */
  readonly isFixed?: true
  open(backends: readonly Backend[]): Promise<Gateway>
}

const script = (file: string): string =>
  path.join(fileURLToPath(new URL('../backends/', import.meta.url)), file)

const everyday = (name: string): Backend => ({
  name,
  command: [process.execPath, script('everyday.mjs'), name],
})

export type BackendName = 'alpha' | 'beta' | 'fragile' | 'mallory'

/** Two equal servers, one that is made to crash, and one that means harm. */
export const BACKENDS: Readonly<Record<BackendName, Backend>> = {
  alpha: everyday('alpha'),
  beta: everyday('beta'),
  fragile: everyday('fragile'),
  mallory: { name: 'mallory', command: [process.execPath, script('hostile.mjs'), 'mallory'] },
}

/** The configuration that most gateways and clients read. */
export function serversJson(backends: readonly Backend[], more: object = {}): string {
  const entries = backends.map(({ name, command: [command, ...args] }) => [
    name,
    { command, args, ...more },
  ])
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) }, undefined, 2)
}
