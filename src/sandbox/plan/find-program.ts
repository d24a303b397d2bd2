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

const OTHERS_WRITE = 0o002
const GROUP_WRITES = 0o020
const REPLACED = 'it was replaced while the server was started'

interface Wanted extends Pick<LaunchSpec, 'command' | 'args'> {
  readonly settings: Pick<LaunchSpec['settings'], 'writePaths'>
}

export interface ProgramPlaces extends PrivatePlaces {
  /** The folders that any server may write: a mark there, or its absence, says nothing about the folders above. */
  readonly writableFolders?: () => readonly string[]
}

/** `node` is the path at which the program finds Cordon's own Node. */
export function findProgram(
  { command, args, settings }: Wanted,
  node: string,
  places: ProgramPlaces,
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
  places: ProgramPlaces,
  settings: Wanted['settings'] | undefined,
): readonly string[] {
  const isPrivate = (folder: string) => privateBecause(realpathSync(folder), places) !== undefined
  return [...new Set([file, realpathSync(file)])]
    .filter((name) => !isWithin(name, '/usr') && !isWithin(realFolder(name), '/usr'))
    .map((name) => {
      const writable = [...(settings?.writePaths ?? []), ...(places.writableFolders?.() ?? [])]
      const around = { isMark: isMarkOf(name), isPrivate, writable }
      const root = settings ? packageRoot(name, around) : name
      const reason = privateBecause(realpathSync(root), places)
      if (reason !== undefined) throw pathRefused(root, reason)
      return root
    })
}

/**
 * A mark that another user planted, or could have, would show the whole folder: neither it nor its folder may be theirs or
 * be open to them. A group counts as others, unless it is the one that each user has alone.
 */
function isMarkOf(file: string): (mark: string) => boolean {
  const trusted = new Set([0, process.getuid?.(), statSync(file).uid])
  const isOwn = (place: string): boolean => {
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found === undefined || !trusted.has(found.uid)) return false
    const isAlone = found.gid === found.uid || found.gid === process.getgid?.()
    const others = isAlone ? OTHERS_WRITE : OTHERS_WRITE | GROUP_WRITES
    return found.isSymbolicLink() || (found.mode & others) === 0
  }
  return (mark) => isOwn(mark) && isOwn(path.dirname(mark))
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
