/** A PostgreSQL database as its URL names it. The parser of the URL decides about TLS; `ssl` is then used as it is. */
export interface PostgresTarget {
  /** A host name, an address, or the absolute path of a socket's folder. */
  readonly host: string
  readonly port: number
  readonly database: string
  /** Absent: chosen by the driver, as libpq does (PGUSER, PGPASSWORD, the name of the account). */
  readonly user?: string
  readonly password?: string
  readonly ssl: boolean | 'prefer' | 'require' | 'verify-full'
}
