/**
 * The Python index of this machine: the one that the owner's pip or uv uses, with its authorities, its proxy and its
 * login. Where they set none it is pip's own default, read in the text of the pip that is installed here.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { CordonError } from '../../kernel/error.ts'
import type { NpmPlace } from '../install/npm-settings.ts'
import { type ProxySetting, readProxy } from '../install/read-proxy.ts'
import { readTrust, type Trust } from '../install/read-trust.ts'
import { loginIn, readNetrc } from './netrc.ts'
import { cannotInstallPython } from './python-errors.ts'
import { type PipSettings, readPipSettings } from './pip-settings.ts'
import { readZip } from './zip.ts'

export interface PythonIndex {
  /** Ends in `/`; holds no login. */
  readonly url: string
  readonly host: string
  readonly port: number
  /** The hosts that pip names for the files of its own default index. */
  readonly moreHosts: readonly string[]
  readonly trust: Trust
  readonly proxy?: ProxySetting
  /** Secret. */
  readonly login: { readonly authorization?: string }
}

const FULL_NAME = /^[\w.-]+\.[a-z][\w-]*$/
const HTTPS_PORT = 443

/** `pips`: folders and wheels in which a pip may lie. `what` is the wanted package, for error messages. */
export async function readPythonIndex(
  place: NpmPlace,
  pips: readonly string[],
  what: string,
): Promise<PythonIndex> {
  const settings = await readPipSettings(place)
  const defaults = await readDefaults(pips)
  const given = settings.get('index-url') ?? defaults[0]?.simple
  const { url, host, port } = parseIndex(given, what)
  refuseOthers(settings, url, what)
  const asNpm = {
    ...settings,
    get: (key: string) => settings.get(SAME_AS[key] ?? key),
    all: () => [],
    keys: new Set<string>(),
  }
  const trust = await readTrust(asNpm)
  const proxy = readProxy(asNpm, url.href, what)
  const authorization = loginIn(url) ?? (await readNetrc(place, host))
  const own = defaults.find((one) => one.host === host)
  return {
    url: addressOf(url),
    host,
    port,
    moreHosts: own && port === HTTPS_PORT ? [own.filesAt] : [],
    trust,
    ...(proxy && { proxy }),
    login: authorization === undefined ? {} : { authorization },
  }
}

/** npm's names of the settings that pip has too. */
const SAME_AS: Readonly<Record<string, string>> = { cafile: 'cert', 'https-proxy': 'proxy' }

interface DefaultIndex {
  readonly simple: string
  readonly host: string
  readonly filesAt: string
}

const DEFAULTS = /PackageIndex\(\s*"(https:\/\/[\w./-]+)",\s*file_storage_domain="([\w.-]+)"/g
const IN_PIP = '_internal/models/index.py'
const LIMITS = { entries: 5000, bytes: 64 * 2 ** 20 }

/** The first one is pip's default. Of pip, no code runs here. */
async function readDefaults(pips: readonly string[]): Promise<readonly DefaultIndex[]> {
  for (const pip of pips) {
    const text = await readPip(pip).catch(() => '')
    const found = Array.from(text.matchAll(DEFAULTS), ([, url = '', filesAt = '']) => {
      return { simple: new URL('simple', url).href, host: new URL(url).hostname, filesAt }
    })
    if (found.length > 0) return found
  }
  return []
}

async function readPip(pip: string): Promise<string> {
  if (!pip.endsWith('.whl')) return await readFile(path.join(pip, IN_PIP), 'utf8')
  const zip = readZip(await readFile(pip), LIMITS)
  const entry = zip.entries.find(({ name }) => name === `pip/${IN_PIP}`)
  return entry ? zip.read(entry).toString('utf8') : ''
}

function no(what: string, why: string): CordonError {
  return cannotInstallPython('registry-setting', what, why)
}

/** Errors name only the host of the address: the rest may hold a password. */
function parseIndex(
  given: string | undefined,
  what: string,
): { readonly url: URL; readonly host: string; readonly port: number } {
  if (given === undefined)
    throw no(what, 'no setting names a Python index, and there is no pip to ask for its default')
  const url = URL.parse(given)
  if (!url) throw no(what, 'the Python index in your settings is not an address')
  const { hostname: host } = url
  const shown = JSON.stringify(host)
  if (url.protocol !== 'https:') throw no(what, `the Python index at ${shown} does not use https`)
  if (!FULL_NAME.test(host)) throw no(what, `the Python index ${shown} has no full host name`)
  return { url, host, port: Number(url.port || HTTPS_PORT) }
}

/** Against dependency confusion: with two indexes, whoever owns a name in the other one would decide what runs. */
function refuseOthers(settings: PipSettings, url: URL, what: string): void {
  const isOther = (one: string): boolean => addressOf(URL.parse(one) ?? url) !== addressOf(url)
  if (!/^(?:0|false|no|off|)$/i.test(settings.get('no-index') ?? '')) {
    throw no(what, 'your pip settings allow no index')
  }
  if (!settings.extraIndexes.some(isOther)) return
  throw no(
    what,
    'your pip settings name a second index (extra-index-url), in which the same name may be another package',
  )
}

function addressOf(url: URL): string {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  plain.search = ''
  plain.hash = ''
  return plain.href.replace(/\/*$/, '/')
}
