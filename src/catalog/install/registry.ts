/**
 * The npm registry of this machine: the one that the owner's npm uses, with its certificate authorities, its proxy and
 * its login. Read anew for every install, so that a changed setting needs no restart. The login is handed to npm for
 * requests to this host, and to nothing else.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { cannotInstall } from './install-errors.ts'
import { type NpmPlace, type NpmSettings, readNpmSettings } from './npm-settings.ts'
import { type ProxySetting, readProxy } from './read-proxy.ts'
import { type Trust, readTrust } from './read-trust.ts'

export interface Registry {
  readonly url: string
  readonly host: string
  readonly port: number
  /** Scopes (`@corp`) that the owner gets from another registry. Here the same name may be an attacker's. */
  readonly scopes: ReadonlySet<string>
  readonly trust: Trust
  readonly proxy?: ProxySetting
  /** npm's own settings for this host: `//host/:_authToken`. Secret. */
  readonly login: Readonly<Record<string, string>>
}

/** At least two labels, the last of them not a number: an IP address is refused. */
const FULL_NAME = /^[\w.-]+\.[a-z][\w-]*$/
const HTTPS_PORT = 443

/** `what` is the wanted package, for error messages. */
export async function readRegistry(
  place: NpmPlace & { readonly npmPath: string },
  what: string,
): Promise<Registry> {
  const settings = await readNpmSettings(place)
  const given = settings.get('registry') ?? (await usualRegistry(place.npmPath))
  const { url, host, port, scopes } = parseRegistry(given, settings, what)
  const trust = await readTrust(settings)
  const proxy = readProxy(settings, url, what)
  const login = loginFor(url, settings)
  return { url, host, port, scopes, trust, ...(proxy && { proxy }), login }
}

const NPM_DEFAULTS = '../node_modules/@npmcli/config/lib/definitions/definitions.js'
const REGISTRY_DEFAULT = /new Definition\('registry', \{\s*default: '([^']+)'/

/** The default of npm itself, where no setting names a registry: read in the pinned npm, of which no code runs here. */
async function usualRegistry(npmPath: string): Promise<string | undefined> {
  const defaults = path.join(path.dirname(npmPath), NPM_DEFAULTS)
  return REGISTRY_DEFAULT.exec(await readFile(defaults, 'utf8').catch(() => ''))?.[1]
}

type Address = Pick<Registry, 'url' | 'host' | 'port' | 'scopes'>

/** Errors name only the host of the URL: the rest may hold a password. */
function parseRegistry(
  given: string | undefined,
  settings: Pick<NpmSettings, 'get' | 'keys'>,
  what: string,
): Address {
  const url = given === undefined ? undefined : URL.parse(given)
  const no = (why: string) => cannotInstall('registry-setting', what, why)
  if (!url) throw no('the npm registry in your settings is not an address')
  const { hostname: host } = url
  const shown = JSON.stringify(host)
  if (url.protocol !== 'https:') throw no(`the npm registry at ${shown} does not use https`)
  if (!FULL_NAME.test(host)) throw no(`the npm registry ${shown} has no full host name`)
  if (url.username || url.password) throw no('the address of the npm registry holds a password')
  const scopes = [...settings.keys]
    .filter((key) => key.startsWith('@') && key.endsWith(':registry'))
    .filter((key) => settings.get(key) !== given)
    .map((key) => key.slice(0, -':registry'.length))
  return { url: url.href, host, port: Number(url.port || HTTPS_PORT), scopes: new Set(scopes) }
}

const LOGIN = /:(?:_authToken|_auth|username|_password)$/

/** Only keys that begin with this very host and port. */
function loginFor(url: string, settings: NpmSettings): Registry['login'] {
  const own = `//${new URL(url).host}`
  const keys = [...settings.keys].filter(
    (key) => LOGIN.test(key) && (key.startsWith(`${own}/`) || key.startsWith(`${own}:_`)),
  )
  return Object.fromEntries(keys.map((key) => [key, settings.get(key) ?? '']))
}
