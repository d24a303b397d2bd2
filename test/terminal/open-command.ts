/** Runs a command of Cordon in a terminal, with the home of a test. */
import path from 'node:path'
import { type Cordon, environmentFor, root } from '../fixtures/cordon.ts'
import type { OutsideWorld } from '../fixtures/outside-world.ts'
import { openTerminal, type Terminal } from './terminal.ts'

interface CommandOptions {
  /** The world in which the kernel finds its services; absent: the real command line. */
  readonly world?: OutsideWorld
  readonly term?: string
  readonly columns?: number
}

/** Program and arguments of a command line, for a terminal or for a shell in it. */
export function commandLine(args: readonly string[], world?: OutsideWorld): readonly string[] {
  const entry = world ? 'test/fixtures/outside-main.ts' : 'src/main.ts'
  const flags = ['--disallow-code-generation-from-strings']
  return [process.execPath, ...flags, path.join(root, entry), ...args]
}

export function openCommand(
  { home }: Cordon,
  args: readonly string[],
  { world, ...terminal }: CommandOptions = {},
): Promise<Terminal> {
  const env = environmentFor(home, world?.environment)
  return openTerminal({ command: commandLine(args, world), env, ...terminal })
}
