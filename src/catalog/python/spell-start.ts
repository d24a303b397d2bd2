/**
 * The small Python files that start the programs of an installed package: they add its modules after Python's own, so
 * that none of them can take the place of a standard one, and call the program. No `.pth` file is read. Pure.
 */
import type { EntryPoint } from './entry-points.ts'

/** The folder of the start files, and that of all modules, in an installed folder. */
export const STARTS = 'bin'
export const MODULES = 'site'

/** Only such programs get a start file: the name is a file name. */
const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/

export function startFileName(program: string): string | undefined {
  return NAME.test(program) ? `${program}.py` : undefined
}

/**
 * Python looks for garbage after every 700 objects, and what a server imports makes hundreds of thousands that stay: a
 * sixth of the start of one on the official SDK. A module that never returns from its import is still collected.
 */
const COLLECT_RARELY = ['import gc', 'often = gc.get_threshold()', 'gc.set_threshold(1000000)']
/** Unless the program chose for itself. */
const COLLECT_AGAIN = 'if gc.get_threshold()[0] == 1000000: gc.set_threshold(*often)'

/** `version`: of the Python that it was installed for, `[3, 11]`. */
export function spellStart(
  program: string,
  { module, call }: EntryPoint,
  [major, minor]: readonly [number, number],
): string {
  const [first = '', ...rest] = (call ?? '').split('.')
  const run =
    call === undefined
      ? [
          'import runpy',
          `runpy.run_module(${JSON.stringify(module)}, run_name="__main__", alter_sys=True)`,
        ]
      : [
          ...COLLECT_RARELY,
          `from ${module} import ${first} as program`,
          COLLECT_AGAIN,
          `sys.exit(${['program', ...rest].join('.')}())`,
        ]
  return [
    '# Written by Cordon: starts one program of the package that is installed beside this file.',
    'import sys',
    `if sys.version_info[:2] != (${major}, ${minor}):`,
    `    sys.exit("This server was installed for Python ${major}.${minor}, and this machine has %d.%d: remove it and connect it again" % sys.version_info[:2])`,
    'import builtins',
    'from _sitebuiltins import Quitter',
    'builtins.exit, builtins.quit = Quitter("exit", "Ctrl-D"), Quitter("quit", "Ctrl-D")',
    `sys.path.append(__file__.rsplit("/", 2)[0] + "/${MODULES}")`,
    `sys.argv[0] = ${JSON.stringify(program)}`,
    ...run,
    '',
  ].join('\n')
}
