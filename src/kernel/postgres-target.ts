/** A database as its URL names it. Whoever reads the URL decides about TLS; whoever opens it takes that as it is. */
export interface PostgresTarget {
  /** A host name, an address, or the absolute path of a socket's folder. */
  readonly host: string
  readonly port: number
  readonly database: string
  /** Absent: as the driver finds it, which is as libpq does (PGUSER, PGPASSWORD, the name of the account). */
  readonly user?: string
  readonly password?: string
  readonly ssl: boolean | 'prefer' | 'require' | 'verify-full'
}
