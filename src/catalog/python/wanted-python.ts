/** The Python package to install, validated first: its name and version become arguments and folder names. */
import { hash } from 'node:crypto'
import type { CordonError } from '../../kernel/error.ts'
import { parseServerId, type ServerId } from '../../kernel/server-id.ts'
import type { ServiceLaunch } from '../../ports/service-facts.ts'
import { isPythonName, normalName } from './normal-name.ts'
import { cannotInstallPython } from './python-errors.ts'
import { parseSpecifiers, type Specifier } from './specifier.ts'
import { parseVersion, spellVersion } from './version.ts'

export type PythonLaunch = Extract<ServiceLaunch, { kind: 'pypi' }>

export interface WantedPython {
  readonly server: ServerId
  /** Normal spelling. */
  readonly name: string
  /** Normal spelling, each once, in order. */
  readonly extras: readonly string[]
  /** Normal spelling. */
  readonly version: string
  /** `name 1.2`, for people. */
  readonly what: string
  readonly integrity?: string
}

const INTEGRITY = /^sha256-[A-Za-z0-9+/]{43}=$/
const ANY = 'latest'

/** The versions that a launch accepts; undefined if it names one. */
export function parseRange(launch: PythonLaunch): readonly Specifier[] | undefined {
  if (parseVersion(launch.version)) return undefined
  if (launch.version === ANY) return []
  const specifiers = parseSpecifiers(launch.version)
  if (specifiers) return specifiers
  throw bad(`${launch.package} ${launch.version}`, 'its version cannot be read')
}

export function parseWantedPython(slug: string, launch: PythonLaunch): WantedPython {
  const { package: written, version: asked, integrity } = launch
  const what = `${written} ${asked}`
  const version = parseVersion(asked)
  if (!isPythonName(written)) throw bad(what, 'that is not the name of a Python package')
  if (!version) throw bad(what, 'its version is not one exact version')
  if (integrity !== undefined && !INTEGRITY.test(integrity))
    throw bad(what, 'its integrity is no SHA-256')
  const name = normalName(written)
  const extras = [...new Set((launch.extras ?? []).filter(isPythonName).map(normalName))].sort()
  const spelled = spellVersion(version)
  const found = {
    server: parseServerId(slug),
    name,
    extras,
    version: spelled,
    what: `${name} ${spelled}`,
  }
  return integrity === undefined ? found : { ...found, integrity }
}

const LONGEST_EXTRAS = 60

/**
 * The name of its folder. The same version with other extras is another install: they bring other packages along. No
 * version and no extra has a `_` in its normal spelling.
 */
export function pythonFolder({ server, version, extras }: WantedPython): string {
  const plain = `${server}@${version}`
  const listed = extras.join('_')
  if (listed === '') return plain
  const isShort = listed.length <= LONGEST_EXTRAS
  return `${plain}_${isShort ? listed : hash('sha256', listed, 'hex').slice(0, LONGEST_EXTRAS)}`
}

function bad(what: string, why: string): CordonError {
  return cannotInstallPython('bad-package', what, why)
}
