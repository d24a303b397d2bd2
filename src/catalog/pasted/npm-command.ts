/** Parses `npx …` and similar commands into npm package, version, program and arguments. */
import { seenLine } from '../../text/untrusted-text.ts'
import { notInstallable } from '../catalog-errors.ts'
import { takeOptions } from './take-options.ts'

export interface NpmCommand {
  readonly package: string
  readonly version: string
  readonly bin?: string
  readonly args: readonly string[]
}

/** Stands for the newest version until the installer has pinned one. */
export const NEWEST = 'latest'

/** Words before the package. Each runs or installs a package; none is executed here. */
const RUNNERS: readonly RegExp[] = [
  /^(?:npx|bunx|pnpx)(?: |$)/,
  /^npm (?:exec|x|install|i|add)(?: |$)/,
  /^(?:pnpm|yarn|bun) (?:dlx|x|add)(?: |$)/,
]
/** Options without influence on the install. Any other (another registry, a script to call) is refused. */
const HARMLESS = new Set(
  '-- -y --yes -q --quiet --silent --prefer-offline --prefer-online -g --global --bun'.split(' '),
)

const NAMES_PACKAGE = /^(?:-p|--package)$/

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/
const VERSION = /^(?:\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?|[A-Za-z][\w.-]*)$/
const HINT = 'Paste a line such as `npx -y @scope/name@1.2.3`'

/** The number of words of the runner; 0 if the line has none. */
export function runnerLength(program: string, args: readonly string[]): number {
  const line = [program, ...args].join(' ')
  const runner = RUNNERS.find((shape) => shape.test(line))
  return runner === undefined ? 0 : (runner.exec(line)?.[0].trim().split(' ').length ?? 0)
}

export function parseNpmCommand(words: readonly string[]): NpmCommand {
  const { options, rest } = takeOptions(words, NAMES_PACKAGE)
  const [first, ...others] = rest
  const args = others[0] === '--' ? others.slice(1) : others
  const named = options.find(({ name }) => NAMES_PACKAGE.test(name))
  const odd = options.find(({ name }) => !NAMES_PACKAGE.test(name) && !HARMLESS.has(name))
  if (odd) throw notInstallable(`with the option ${JSON.stringify(seenLine(odd.name, 40))}`, HINT)
  if (named === undefined) return { ...parsePackageSpec(first ?? ''), args }
  const bin = first === undefined ? {} : { bin: first }
  return { ...parsePackageSpec(named.value ?? ''), args, ...bin }
}

/** `@scope/name@1.2.3`. Paths, URLs and git references are not packages of the registry. */
export function parsePackageSpec(spec: string): {
  readonly package: string
  readonly version: string
} {
  const at = spec.indexOf('@', 1)
  const name = at < 0 ? spec : spec.slice(0, at)
  const version = at < 0 ? NEWEST : spec.slice(at + 1)
  if (name.length > 214 || !NAME.test(name)) throw notInstallable('what is no npm package', HINT)
  if (version.length > 100 || !VERSION.test(version)) {
    throw notInstallable(`${JSON.stringify(name)} at a version that is not exact`, HINT)
  }
  return { package: name, version }
}

/** A bare word that can only be a package: with a scope, with a version, or with `mcp` in its name. */
export function isPackageSpec(word: string): boolean {
  if (!NAME.test(word.replace(/(?<=.)@[\w.+-]+$/, ''))) return false
  return /^@|.@\d|(?:^|-)mcp(?:-|@|$)/.test(word)
}
