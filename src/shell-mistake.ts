/** What a shell made of a flow whose `>>` had no quotes: looks at where standard output goes, and leaves the deciding to `flows/`. */
import { fstatSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import type { KnowsNode } from './cli/context.ts'
import { decideShellMistake, type ShellMistake } from './flows/grammar/shell-mistake.ts'

/** The nodes are asked for only where output goes into a file at all. */
export async function findShellMistake(
  argv: readonly string[],
  knowNodes: () => Promise<KnowsNode>,
  { program, folder }: { readonly program: string; readonly folder: string },
): Promise<ShellMistake | undefined> {
  const file = stdoutFile()
  if (file === undefined) return undefined
  const knowsNode = await knowNodes()
  return decideShellMistake({
    argv,
    program,
    stdoutIsRegularFile: true,
    stdoutBasename: path.basename(file),
    knowsNode,
    takesFlag: (node, flag) => knowsNode.takesFlag(node, flag),
    emptyFiles: emptyFiles(folder, knowsNode),
  })
}

/** The file that standard output is redirected into. Linux tells its name; elsewhere nothing is found out. */
function stdoutFile(): string | undefined {
  try {
    return fstatSync(1).isFile() ? readlinkSync('/proc/self/fd/1') : undefined
  } catch {
    return undefined
  }
}

/** Where the folder cannot be looked at, there is nothing to tell of it. */
function emptyFiles(folder: string, isNode: (name: string) => boolean): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isNode)
      .map((name) => ({ name, stat: lstatSync(path.join(folder, name)) }))
      .filter(({ stat }) => stat.isFile() && stat.size === 0)
      .sort((a, b) => a.stat.mtimeMs - b.stat.mtimeMs)
      .map(({ name }) => name)
  } catch {
    return []
  }
}
