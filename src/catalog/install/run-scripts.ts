/**
 * Runs the install scripts of a package and of what it brings along, after its owner's word: in the install sandbox,
 * without network, login or home, writing to the folder under construction alone. Links that scripts leave are removed,
 * since nothing in a finished folder may lead elsewhere; processes that they leave end with the sandbox.
 */
import { lstat, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { runInside } from '../python/run-inside.ts'
import { cannotInstall } from './install-errors.ts'
import type { NpmTask, StepParts } from './npm-task.ts'

const NPM_ARGS = ['rebuild', '--no-ignore-scripts', '--dangerously-allow-all-scripts', '--offline']

export async function runScripts(
  parts: StepParts,
  { server, what, part }: NpmTask,
  signal: AbortSignal,
): Promise<void> {
  const args = [parts.npmPath, ...NPM_ARGS, '--prefix', part.tree, '--cache', part.cache]
  const writePaths = [part.cache, part.tree]
  const run = { server, part, command: 'node', args, writePaths } as const
  const { end, stdout, stderr } = await runInside(parts, run, signal)
  if (end.kind !== 'exited' || end.code !== 0) {
    const cause = new Error(`${stdout}\n${stderr}`)
    const why =
      end.kind === 'memory'
        ? 'an install script of it took too much memory'
        : 'an install script of it failed; it has no network, and may lack a compiler'
    throw cannotInstall('install-failed', what, why, cause)
  }
  await removeLinks(part.tree)
}

/** npm links programs in `.bin`, and build tools link their own. */
async function removeLinks(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const full = path.join(folder, name)
    const found = await lstat(full)
    if (found.isSymbolicLink() || name === '.bin') await rm(full, { recursive: true, force: true })
    else if (found.isDirectory()) await removeLinks(full)
  }
}
