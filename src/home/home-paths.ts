/** The paths inside a home. Names only: never touches the disk. */
import { join } from 'node:path'

/** Every folder of a home, all 0700. */
export const HOME_FOLDERS = [
  'mcp',
  'vault',
  'audit',
  'packages',
  'cache',
  'pins',
  'data',
  'run',
  'certs',
  'clients',
  'logs',
] as const

export type HomePaths = Readonly<Record<(typeof HOME_FOLDERS)[number], string>> & {
  readonly home: string
  readonly config: string
  /** Tells homes on a shared database apart. */
  readonly id: string
  readonly state: string
  /** Runs of flows; not used with PostgreSQL. */
  readonly runs: string
  readonly auditHead: string
  readonly socket: string
  /** Names the process that holds the home, for people and for `cordon doctor`. */
  readonly lock: string
  /** Empty; the operating system's lock is on this file. Only `lock.ts` ever opens it. */
  readonly writer: string
}

export function homePaths(home: string): HomePaths {
  return {
    home,
    config: join(home, 'config.toml'),
    id: join(home, 'home-id'),
    mcp: join(home, 'mcp'),
    state: join(home, 'state.db'),
    runs: join(home, 'runs.db'),
    auditHead: join(home, 'audit-head'),
    vault: join(home, 'vault'),
    audit: join(home, 'audit'),
    packages: join(home, 'packages'),
    cache: join(home, 'cache'),
    pins: join(home, 'pins'),
    data: join(home, 'data'),
    run: join(home, 'run'),
    socket: join(home, 'run', 'cordon.sock'),
    lock: join(home, 'run', 'cordon.lock'),
    writer: join(home, 'run', 'writer.lock'),
    certs: join(home, 'certs'),
    clients: join(home, 'clients'),
    logs: join(home, 'logs'),
  }
}
