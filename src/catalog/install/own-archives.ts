/**
 * A script that npm loads before its own code when it writes a lockfile. A package with `bundleDependencies` carries
 * other packages inside its archive, so npm opens that archive to list them; it asks for it by bare address, which
 * `--allow-remote=none` refuses. The script lets npm open an archive by address if, in this same run, the registry named
 * that address for a package asked for by name. An address that a package wrote itself stays refused.
 */
const PRELOAD = `
import { createRequire } from 'node:module'
const pacote = createRequire(process.argv[1])('pacote')
const { manifest, extract } = pacote
const named = new Set()
pacote.manifest = async (spec, options) => {
  const found = await manifest(spec, options)
  if (spec.registry) named.add(found._resolved)
  return found
}
pacote.extract = (spec, folder, options) =>
  extract(spec, folder, named.has(spec) ? { ...options, allowRemote: 'all' } : options)
`

/** For `node --import`; only npm reads it, and no file of it lies in the sandbox. */
export const OWN_ARCHIVES: string = `data:text/javascript,${encodeURIComponent(PRELOAD)}`
