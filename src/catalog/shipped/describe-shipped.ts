/** A server that comes with Cordon, as the package that an install would have given. Installs nothing. */
import type { InstalledPackage } from '../../ports/catalog-port.ts'
import type { ServiceLaunch } from '../../ports/service-facts.ts'
import { findShipped } from './find-shipped.ts'
import { notShipped } from './run-shipped.ts'
import { shippedWord } from './shipped-word.ts'

export async function describeShipped(
  launch: Extract<ServiceLaunch, { kind: 'npm' }>,
): Promise<InstalledPackage> {
  const word = shippedWord(launch.package)
  const found = await findShipped(word)
  if (!found) throw notShipped(word)
  return {
    folder: found.folder,
    entry: word,
    package: found.package,
    version: found.version,
    integrity: launch.integrity ?? '',
    bytes: 0,
    packages: 0,
    refusedScripts: [],
  }
}
