/**
 * A sandbox that checks an installed package while the sandbox is built, before anything of the package runs. Every
 * start passes here, whoever asked for it: a package that was changed since its install does not start.
 */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { Packages } from '../../ports/catalog-port.ts'
import type { LaunchSpec, Sandbox } from '../../kernel/sandbox-port.ts'

/** `root` holds the packages. */
export function checkAtLaunch(
  sandbox: Sandbox,
  packages: Pick<Packages, 'check'>,
  root: string,
): Sandbox {
  return {
    async launch(spec, signal) {
      const folders = packageFolders(spec, root)
      let checked: Promise<unknown> | undefined
      const check = (): Promise<unknown> =>
        (checked ??= Promise.all([...folders].map((folder) => packages.check(folder))))
      const goAhead = (): Promise<unknown> => Promise.all([spec.goAhead?.(), check()])
      return await sandbox.launch({ ...spec, goAhead }, signal).catch(async (error: unknown) => {
        await check() // a changed package is the better reason, so its error wins
        throw error
      })
    },
    checks: (signal) => sandbox.checks(signal),
  }
}

/** The packages that a command line or a declared path leads into, also by another spelling or over links. */
function packageFolders({ command, args, settings }: LaunchSpec, root: string): Set<string> {
  const { readPaths, image } = settings
  const named = [command, ...args, ...readPaths, image?.root ?? '']
  const words = named.filter((word) => path.isAbsolute(word))
  const [realRoot = root, ...realWords] = [root, ...words].map(realPath)
  const names = [
    ...words.map((word) => path.relative(root, word)),
    ...realWords.map((word) => path.relative(realRoot, word)),
  ].map((way) => way.split('/')[0] ?? '')
  const inside = names.filter((name) => name !== '' && name !== '..')
  return new Set(inside.map((name) => path.join(root, name)))
}

/** Resolves links; a path that does not exist is only normalised. */
function realPath(word: string): string {
  try {
    return realpathSync.native(word)
  } catch {
    return path.normalize(word)
  }
}
