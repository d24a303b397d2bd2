/**
 * A sandbox that looks at an installed package, while the process is made ready, before anything of it runs. Whoever
 * starts a server, and why, makes no difference: what was changed since its install does not start.
 */
import path from 'node:path'
import type { Packages } from '../../kernel/catalog-port.ts'
import type { LaunchSpec, Sandbox } from '../../kernel/sandbox-port.ts'

/** `root` holds the packages. */
export function checkAtLaunch(
  sandbox: Sandbox,
  packages: Pick<Packages, 'check'>,
  root: string,
): Sandbox {
  return {
    async launch(spec, signal) {
      const checks = [...packageFolders(spec, root)].map((folder) => packages.check(folder))
      const goAhead = Promise.all([spec.goAhead, ...checks])
      goAhead.catch(() => undefined) // waited for below, whatever happens first
      return await sandbox.launch({ ...spec, goAhead }, signal).catch(async (error: unknown) => {
        await goAhead // a package that was changed is the better reason
        throw error
      })
    },
    checks: (signal) => sandbox.checks(signal),
  }
}

/** The packages that a command line or a declared path leads into. */
function packageFolders({ command, args, settings }: LaunchSpec, root: string): Set<string> {
  const inside = [command, ...args, ...settings.readPaths]
    .filter((word) => word.startsWith(`${root}/`))
    .map((word) => path.relative(root, path.normalize(word)).split('/')[0] ?? '')
    .filter((name) => name !== '' && name !== '..')
  return new Set(inside.map((name) => path.join(root, name)))
}
