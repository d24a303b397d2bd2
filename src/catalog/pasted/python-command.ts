/** Parses `uvx …`, `pipx run …` and `python -m …` into Python package, version, program and arguments. */
import { seenLine } from '../../text/untrusted-text.ts'
import { notInstallable } from '../catalog-errors.ts'
import { isModuleName } from '../python/entry-points.ts'
import { isPythonName, normalName } from '../python/normal-name.ts'
import { parseSpecifiers } from '../python/specifier.ts'
import { parseVersion } from '../python/version.ts'
import { NEWEST } from './npm-command.ts'
import { takeOptions } from './take-options.ts'

export interface PythonCommand {
  readonly package: string
  readonly version: string
  readonly extras?: readonly string[]
  readonly bin?: string
  readonly module?: string
  readonly args: readonly string[]
}

/** Words before the package; none of these programs is run. */
const RUNNER = /^(?:uvx|uv tool run|uv x|pipx run)(?: |$)/
const MODULE = /^python3? (?:-[uBEs]+ )*-m [A-Za-z_]/
/** Options without influence on what is installed. Any other (another index, another package) is refused. */
const HARMLESS = new Set(
  '-- -q --quiet -v --verbose --no-cache -n --isolated --refresh --no-progress --offline -p --python --no-config --native-tls'.split(
    ' ',
  ),
)
const NAMES_PACKAGE = /^--(?:from|spec)$/
const TAKES_VALUE = /^(?:--(?:from|spec|python)|-p)$/
const HINT = 'Paste a line such as `uvx mcp-server-time@2025.1.1`'

/** Undefined unless the line runs a package by its name. */
export function pythonCommandIn(
  program: string,
  args: readonly string[],
): PythonCommand | undefined {
  const words = [program, ...args]
  const runner = RUNNER.exec(words.join(' '))?.[0].trim().split(' ').length
  return runner === undefined ? undefined : parsePythonCommand(words.slice(runner))
}

/** Undefined unless the line starts a module. */
export function parseModuleCommand(
  program: string,
  args: readonly string[],
): PythonCommand | undefined {
  if (!MODULE.test([program, ...args].join(' '))) return undefined
  const at = args.indexOf('-m')
  const module = args[at + 1] ?? ''
  if (!isModuleName(module)) throw notInstallable('what is no module of Python', HINT)
  const [top = ''] = module.split('.')
  return { package: normalName(top), version: NEWEST, module, args: args.slice(at + 2) }
}

/** `words`: those after the runner. */
function parsePythonCommand(words: readonly string[]): PythonCommand {
  const { options, rest } = takeOptions(words, TAKES_VALUE)
  const odd = options.find(({ name }) => !NAMES_PACKAGE.test(name) && !HARMLESS.has(name))
  if (odd) throw notInstallable(`with the option ${JSON.stringify(seenLine(odd.name, 40))}`, HINT)
  const named = options.find(({ name }) => NAMES_PACKAGE.test(name))
  const [first = '', ...args] = rest
  if (named === undefined) return { ...parsePythonSpec(first), args }
  const bin = first === '' ? {} : { bin: first }
  return { ...parsePythonSpec(named.value ?? ''), args, ...bin }
}

const SPEC = /^(?<name>[A-Za-z0-9._-]+)(?:\[(?<extras>[A-Za-z0-9._,\s-]*)\])?(?<version>.*)$/

/** `name`, `name@1.2`, `name[extra]==1.2`. Paths, addresses and git references are not packages of the index. */
export function parsePythonSpec(
  spec: string,
): Pick<PythonCommand, 'package' | 'version' | 'extras'> {
  const { name = '', extras: listed = '', version: written = '' } = SPEC.exec(spec)?.groups ?? {}
  if (!isPythonName(name)) throw notInstallable('what is no Python package', HINT)
  const extras = listed
    .split(',')
    .map((one) => one.trim())
    .filter(isPythonName)
  const version = readVersion(written.trim())
  if (version === undefined) {
    throw notInstallable(`${JSON.stringify(name)} at a version that cannot be read`, HINT)
  }
  return { package: normalName(name), version, ...(extras.length > 0 && { extras }) }
}

function readVersion(written: string): string | undefined {
  if (written === '' || written === '@latest') return NEWEST
  const plain = written.replace(/^(?:@|===?)/, '')
  if (parseVersion(plain)) return plain
  return parseSpecifiers(written) ? written : undefined
}
