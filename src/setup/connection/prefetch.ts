/**
 * The package of a connect flow, got while a person looks for the credential. Only got: nothing of it runs, and that it
 * is unchanged is checked again when it is started. Never rejects.
 */
import type { InstalledPackage } from '../../kernel/catalog-port.ts'
import { install } from '../server/connect-server.ts'
import type { Connection } from './connection.ts'
import type { SetupDeps } from '../setup-deps.ts'

export interface Prefetch {
  /** Undefined until it is there, and where the service needs no package. */
  readonly installed: InstalledPackage | undefined
  /** Settles when it is there or has failed. */
  readonly settled: Promise<void>
}

/** `tellFailure` hears why it cannot be got, so that a person learns it before they send a token. */
export function startPrefetch(
  deps: SetupDeps,
  connection: Connection,
  tellFailure: (error: unknown) => void,
  signal: AbortSignal,
): Prefetch {
  let installed: InstalledPackage | undefined
  const get = async (): Promise<void> => {
    try {
      installed = await install(deps, connection, () => undefined, signal)
    } catch (error) {
      if (!signal.aborted) tellFailure(error)
    }
  }
  const settled = get()
  return {
    settled,
    get installed() {
      return installed
    },
  }
}
