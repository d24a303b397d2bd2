/**
 * Installs the package of a connection while the person looks for the credential. No code of the package runs, and its
 * integrity is checked again when it is launched. Never rejects.
 */
import type { InstalledPackage } from '../../ports/catalog-port.ts'
import { install } from '../server/connect-server.ts'
import type { Connection } from './connection.ts'
import type { SetupDeps } from '../setup-deps.ts'

export interface Prefetch {
  /** Undefined until the package is installed, or if the service needs none. */
  readonly installed: InstalledPackage | undefined
  /** Settles when the package is installed or has failed. */
  readonly settled: Promise<void>
}

/** `tellFailure` gets the error at once, so that the person learns of it before they send a token. */
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
