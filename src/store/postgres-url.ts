/**
 * Parses DATABASE_URL as libpq does, also with a Unix socket: `?host=/run/postgresql`. Over the network a verified
 * certificate is required unless `sslmode` says otherwise. An unknown setting is refused, not ignored. Never puts the
 * URL or its password into an error.
 */
import { CordonError } from '../kernel/error.ts'
import type { PostgresTarget } from '../text/postgres-target.ts'

/** The query parameters that are allowed; each wins over the same part of the URL, as with libpq. */
const SETTINGS = ['host', 'port', 'dbname', 'user', 'password', 'sslmode'] as const

/** Each mode is at least as strict as in libpq. */
const SSL_MODES: Readonly<Record<string, PostgresTarget['ssl']>> = {
  disable: false,
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
}

export function parsePostgresUrl(text: string): PostgresTarget {
  const url = parseUrl(text)
  const settings = new Map(url.searchParams)
  for (const name of settings.keys()) {
    if (!SETTINGS.some((known) => known === name)) {
      throw badUrl(`the setting ${JSON.stringify(name)} is not understood`)
    }
  }
  const part = (name: (typeof SETTINGS)[number], before: string): string =>
    settings.get(name) ?? decoded(before)

  const host = part('host', url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost'
  const user = part('user', url.username)
  const password = part('password', url.password)
  const database = part('dbname', url.pathname.slice(1)) || user
  if (database === '') throw badUrl('it names no database')
  return {
    host,
    port: parsePort(part('port', url.port)),
    database,
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    ssl: sslFor(host, settings.get('sslmode')),
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'postgres:' || url?.protocol === 'postgresql:') return url
  throw badUrl('it is not a PostgreSQL URL')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badUrl('a "%" in it is not followed by two hexadecimal digits')
  }
}

function parsePort(text: string): number {
  if (text === '') return 5432
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65535) return port
  throw badUrl('its port is not a number from 1 to 65535')
}

function sslFor(host: string, mode: string | undefined): PostgresTarget['ssl'] {
  if (mode !== undefined && !Object.hasOwn(SSL_MODES, mode)) {
    throw badUrl(`its sslmode is none of ${Object.keys(SSL_MODES).join(', ')}`)
  }
  if (host.startsWith('/')) return false // a socket does not leave the machine
  if (mode !== undefined) return SSL_MODES[mode] ?? 'verify-full'
  const local = host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host)
  return local ? false : 'verify-full'
}

function badUrl(reason: string): CordonError {
  return new CordonError(
    'store.url',
    { exit: 2, hint: 'Write DATABASE_URL like `postgres://user:password@host:5432/database`' },
    `Cannot read DATABASE_URL: ${reason}`,
  )
}
