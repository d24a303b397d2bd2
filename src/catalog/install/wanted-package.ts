/** The package to install, validated first: its name and version become arguments and folder names. */
import type { CordonError } from '../../kernel/error.ts'
import { parseServerId, type ServerId } from '../../kernel/server-id.ts'
import type { ServiceLaunch } from '../../ports/service-facts.ts'
import { cannotInstall } from './install-errors.ts'
import { sha512Of } from './package-facts.ts'

export type NpmLaunch = Extract<ServiceLaunch, { kind: 'npm' }>

export interface WantedPackage {
  readonly server: ServerId
  readonly name: string
  readonly version: string
  /** `name@version`, as npm and people write it. */
  readonly what: string
  readonly integrity?: string
  readonly allowScripts: boolean
}

/** A package with a tag or range instead of a version. */
export interface TaggedPackage {
  readonly server: ServerId
  readonly name: string
  readonly tag: string
}

const TAG = /^[\^~]?[A-Za-z0-9][\w.-]{0,63}$/
const NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/i
const VERSION = /^\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/
const LONGEST = 214

/** Undefined if the version is exact. */
export function parseTagged(slug: string, launch: NpmLaunch): TaggedPackage | undefined {
  const { package: name, version: tag, integrity } = launch
  if (VERSION.test(tag)) return undefined
  const what = `${name}@${tag}`
  if (!TAG.test(tag) || integrity !== undefined) {
    throw cannotInstall('bad-package', what, 'its version is neither a version nor a tag')
  }
  if (!NAME.test(name)) throw badName(what)
  return { server: parseServerId(slug), name, tag }
}

export function parseWanted(slug: string, launch: NpmLaunch): WantedPackage {
  const { package: name, version, integrity } = launch
  const server = parseServerId(slug)
  const what = `${name}@${version}`
  if (!NAME.test(name) || name.length > LONGEST) {
    throw badName(what)
  }
  if (!VERSION.test(version) || version.length > 128) {
    throw cannotInstall('bad-package', what, 'its version is not one exact version')
  }
  const allowScripts = launch.allowScripts === true
  if (integrity === undefined) return { server, name, version, what, allowScripts }
  const hash = sha512Of(integrity)
  if (hash === undefined) throw cannotInstall('bad-package', what, 'its integrity is no SHA-512')
  return { server, name, version, what, allowScripts, integrity: hash }
}

function badName(what: string): CordonError {
  return cannotInstall('bad-package', what, 'that is not the name of an npm package')
}
