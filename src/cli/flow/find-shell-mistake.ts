/** Finds traces of a flow with an unquoted `>>`: the file behind standard output, and empty files made by the shell. */
import { fstatSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import type { Problem } from '../../text/problem.ts'
import type { KnowsNode } from '../context.ts'

/** The facts by which `flows/` tells the mistake from an intended redirection. */
export interface ShellFacts {
  /** Arguments without the program's name. */
  readonly argv: readonly string[]
  readonly program: string
  readonly stdoutIsRegularFile: boolean
  readonly stdoutBasename: string
  readonly knowsNode: (name: string) => boolean
  readonly takesFlag: (node: string, flag: string) => boolean
  readonly emptyFiles: readonly string[]
}

interface Shell {
  readonly program: string
  readonly folder: string
  readonly decide: (facts: ShellFacts) => Problem | undefined
}

/** Nodes are looked up only if standard output is a file. */
export async function findShellMistake(
  argv: readonly string[],
  knowNodes: () => Promise<KnowsNode>,
  { program, folder, decide }: Shell,
): Promise<Problem | undefined> {
  const file = stdoutFile()
  if (file === undefined) return undefined
  const knowsNode = await knowNodes()
  return decide({
    argv,
    program,
    stdoutIsRegularFile: true,
    stdoutBasename: path.basename(file),
    knowsNode,
    takesFlag: (node, flag) => knowsNode.takesFlag(node, flag),
    emptyFiles: emptyFiles(folder, knowsNode),
  })
}

/** The file that standard output is redirected into. Only Linux tells its name; elsewhere the result is undefined. */
function stdoutFile(): string | undefined {
  try {
    return fstatSync(1).isFile() ? readlinkSync('/proc/self/fd/1') : undefined
  } catch {
    return undefined
  }
}

/** The empty files that are named like a node, oldest first; none if the folder cannot be read. */
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
