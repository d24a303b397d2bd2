/**
 * A sandbox that checks an installed package while the sandbox is built, before anything of the package runs. Every
 * start passes here, whoever asked for it: a package that was changed since its install does not start.
 */
import { realpath } from 'node:fs/promises'
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
      const folders = await packageFolders(spec, root)
      const checks = [...folders].map((folder) => packages.check(folder))
      const goAhead = Promise.all([spec.goAhead, ...checks])
      goAhead.catch(() => undefined) // awaited below, also where the launch fails first
      return await sandbox.launch({ ...spec, goAhead }, signal).catch(async (error: unknown) => {
        await goAhead // a changed package is the better reason, so its error wins
        throw error
      })
    },
    checks: (signal) => sandbox.checks(signal),
  }
}

/** The packages that a command line or a declared path leads into, also by another spelling or over links. */
async function packageFolders(
  { command, args, settings }: LaunchSpec,
  root: string,
): Promise<Set<string>> {
  const words = [command, ...args, ...settings.readPaths].filter((word) => path.isAbsolute(word))
  const real = await Promise.all([root, ...words].map(realPath))
  const [realRoot = root, ...realWords] = real
  const names = [
    ...words.map((word) => path.relative(root, word)),
    ...realWords.map((word) => path.relative(realRoot, word)),
  ].map((way) => way.split('/')[0] ?? '')
  const inside = names.filter((name) => name !== '' && name !== '..')
  return new Set(inside.map((name) => path.join(root, name)))
}

/** Resolves links; a path that does not exist is only normalised. */
async function realPath(word: string): Promise<string> {
  return await realpath(word).catch(() => path.normalize(word))
}
