/**
 * A sandbox that also runs the servers that come with Cordon: `node cordon:PACKAGE` becomes the program's path, and
 * what that program needs to see is added, read-only. Every other launch passes unchanged.
 */
import { CordonError } from '../../kernel/error.ts'
import type { LaunchSpec, Sandbox } from '../../kernel/sandbox-port.ts'
import { findShipped } from './find-shipped.ts'
import { isShippedWord } from './shipped-word.ts'

export function runShipped(sandbox: Sandbox): Sandbox {
  return {
    launch: async (spec, signal) => await sandbox.launch(await withProgram(spec), signal),
    checks: (signal) => sandbox.checks(signal),
  }
}

async function withProgram(spec: LaunchSpec): Promise<LaunchSpec> {
  const [word = '', ...args] = spec.args
  if (spec.command !== 'node' || !isShippedWord(word)) return spec
  const found = await findShipped(word).catch(() => undefined)
  if (!found) throw notShipped(word)
  const { settings } = spec
  const readPaths = [...found.readPaths, ...settings.readPaths]
  return { ...spec, args: [found.entry, ...args], settings: { ...settings, readPaths } }
}

export function notShipped(word: string): CordonError {
  return new CordonError(
    'catalog.not-shipped',
    { exit: 5, hint: 'Run `npm ci` in the folder of Cordon, or install Cordon again' },
    `Cannot find ${JSON.stringify(word)} among the servers that come with Cordon`,
  )
}
