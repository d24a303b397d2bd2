/** Turns a server's command into a program inside the sandbox, and the folders it needs to see. Starts nothing. */
import { accessSync, constants, existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { CordonError } from '../../kernel/error.ts'
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import { type Beside, besideProgram } from './beside-program.ts'
import type { Mount } from './mount.ts'
import { packageRoot } from './package-root.ts'
import { isWithin, type PrivatePlaces, privateBecause } from './private-places.ts'
import { SYSTEM_FOLDERS } from '../launch/run-command.ts'
import { noInstaller, noSuchCommand, notExecutable, pathRefused } from '../sandbox-errors.ts'

/** Programs that download other programs; a server's sandbox reaches no package registry. */
const INSTALLERS = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'uvx', 'pipx'])
const NODE_NAMES = new Set(['node', 'nodejs'])

export interface Program {
  /** Absolute, the same inside as outside, except that `node` is Cordon's own. */
  readonly path: string
  readonly mounts: readonly Mount[]
  readonly beside: readonly Beside[]
}

/** Up to the first such argument, files are the program's own; those after it are what the program works on. */
const SCRIPT = /\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|php|jar|sh)$/

const REPLACED = 'it was replaced while the server was started'

interface Wanted extends Pick<LaunchSpec, 'command' | 'args'> {
  readonly settings: Pick<LaunchSpec['settings'], 'writePaths'>
}

/** `node` is the path at which the program finds Cordon's own Node. */
export function findProgram(
  { command, args, settings }: Wanted,
  node: string,
  places: PrivatePlaces,
): Program {
  const program = NODE_NAMES.has(command) ? node : locate(command)
  const files = [program, ...args].filter((word) => word !== node && isFile(word))
  const named = files.slice(files[0] === program ? 1 : 0)
  const last = Math.max(
    0,
    named.findIndex((file) => SCRIPT.test(file)),
  )
  const others = new Set(named.slice(last + 1))
  const roots = new Set(
    files.flatMap((file) => rootsOrRefusal(file, places, others.has(file) ? undefined : settings)),
  )
  const [script] = files
  const packages = path.join(places.cordonHome, 'packages')
  const beside = script === undefined ? [] : besideProgram(script, packages)
  return { path: program, mounts: [...roots].sort().map(readOnly), beside }
}

function locate(command: string): string {
  if (INSTALLERS.has(path.basename(command))) throw noInstaller(command)
  if (path.isAbsolute(command)) return executable(command)
  if (command.includes('/')) throw noSuchCommand(command)
  for (const folder of SYSTEM_FOLDERS) {
    if (isFile(path.join(folder, command))) return executable(path.join(folder, command))
  }
  throw noSuchCommand(command)
}

function executable(file: string): string {
  if (!existsSync(file)) throw noSuchCommand(file)
  try {
    if (!isFile(file)) throw new Error('not a file')
    accessSync(file, constants.X_OK)
  } catch (cause) {
    throw notExecutable(file, cause)
  }
  return file
}

/** A path that another program changes meanwhile is neither a bug of Cordon nor a folder to guess. */
function rootsOrRefusal(...wanted: Parameters<typeof rootsOf>): readonly string[] {
  try {
    return rootsOf(...wanted)
  } catch (error) {
    if (error instanceof CordonError) throw error
    throw pathRefused(wanted[0], REPLACED)
  }
}

/**
 * Package roots of the file as named and, if that is a link, of its target. None for /usr, which is always mounted.
 * Without `settings` it is the file alone: one file of a project must not show the project, with an `.env` in it.
 */
function rootsOf(
  file: string,
  places: PrivatePlaces,
  settings: Wanted['settings'] | undefined,
): readonly string[] {
  const isPrivate = (folder: string) => privateBecause(realpathSync(folder), places) !== undefined
  return [...new Set([file, realpathSync(file)])]
    .filter((name) => !isWithin(name, '/usr') && !isWithin(realFolder(name), '/usr'))
    .map((name) => {
      const around = { isMark: isMarkOf(name), isPrivate, writable: settings?.writePaths ?? [] }
      const root = settings ? packageRoot(name, around) : name
      const reason = privateBecause(realpathSync(root), places)
      if (reason !== undefined) throw pathRefused(root, reason)
      return root
    })
}

/** A mark of another user, in a folder that all may write such as /tmp, would show that whole folder. */
function isMarkOf(file: string): (mark: string) => boolean {
  const trusted = new Set([0, process.getuid?.(), statSync(file).uid])
  return (mark) => {
    const found = lstatSync(mark, { throwIfNoEntry: false })
    return found !== undefined && trusted.has(found.uid)
  }
}

function readOnly(root: string): Mount {
  try {
    return { source: realpathSync(root), target: root, writable: false }
  } catch {
    throw pathRefused(root, REPLACED)
  }
}

function realFolder(file: string): string {
  return realpathSync(path.dirname(file))
}

/** `stat` throws for an argument that is too long for a path, contains a NUL, or lies in an unreadable folder. */
function isFile(word: string): boolean {
  try {
    return path.isAbsolute(word) && statSync(word).isFile()
  } catch {
    return false
  }
}
