/**
 * How the first program inside runs in an image, which has no Perl of this machine's: Perl, its loader and the libraries
 * that it names are mounted beside it, read-only, and the loader is started by its path. Files of this machine that
 * every other sandbox shows too.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ImageRoot } from '../../kernel/image-root.ts'
import { missingTool } from '../sandbox-errors.ts'
import { INSIDE_CORDON, INSIDE_HOME, START_FILE } from '../plan/inside-files.ts'
import { runCommand } from './run-command.ts'
import { START_PROGRAM } from './start-program.ts'

const BESIDE = `${INSIDE_CORDON}/perl`
const LOADERS: Readonly<Record<string, string>> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
}
/** A line of the loader: `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)`. */
const NAMED = /=> (\/\S+) \(0x/g

export interface ImageStart {
  /** Arguments for bubblewrap that mount them. */
  readonly mounts: readonly string[]
  /** The command line that runs the start program. */
  readonly words: readonly string[]
  readonly program: string
}

export async function imageStart(perl: string, signal: AbortSignal): Promise<ImageStart> {
  const loader = LOADERS[process.arch] ?? ''
  if (!existsSync(loader)) throw missingTool(loader, 'libc6')
  const { stdout } = await runCommand(loader, ['--list', perl], signal)
  signal.throwIfAborted()
  const libraries = Array.from(stdout.matchAll(NAMED), ([, file = '']) => file)
  const files = [loader, perl, ...libraries]
  const inside = (file: string): string => `${BESIDE}/${path.basename(file)}`
  return {
    mounts: [
      ['--perms', '0755', '--size', String(2 ** 20), '--tmpfs', INSIDE_CORDON],
      ...files.map((file) => ['--ro-bind', file, inside(file)]),
    ].flat(),
    // No cache of the image's is asked where a library is, and no `sitecustomize.pl` of the image's runs (-f).
    words: [
      [inside(loader), '--inhibit-cache', '--library-path', BESIDE],
      [inside(perl), '-f', START_FILE],
    ].flat(),
    // The module is a file of this machine's Perl, and only checks the text.
    program: START_PROGRAM.replace('use strict;\n', ''),
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Every variable of the image, unless the definition has one of the same name. */
export function imageEnvironment(
  { environment }: ImageRoot,
  declared: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { PATH, ...environment, HOME: INSIDE_HOME, ...declared }
}
