/** The traffic of one server to one host that it may reach, in numbers alone: never a path, a header or a byte of it. */
import { showSize } from './show-count.ts'

export interface ReachedHost {
  /** Its allow-list may hold a wildcard, so the first part can be the server's own choice: untrusted. */
  readonly host: string
  readonly port?: number
  /** Connections since its process was started, those that are open included. */
  readonly connections: number
  readonly open: number
  readonly up: number
  readonly down: number
  /** When a connection was last opened or closed. */
  readonly lastAt: string
}

/** `3 connections (1 open), 2 KB out, 14 KB in` */
export function describeTraffic({ connections, open, up, down }: ReachedHost): string {
  const now = open > 0 ? ` (${open} open)` : ''
  const times = `${connections} ${connections === 1 ? 'connection' : 'connections'}${now}`
  return `${times}, ${showSize(up)} out, ${showSize(down)} in`
}

/** The port only where it is not that of https. */
export function showPlace({ host, port = HTTPS }: Pick<ReachedHost, 'host' | 'port'>): string {
  return port === HTTPS ? host : `${host}:${port}`
}

const HTTPS = 443
