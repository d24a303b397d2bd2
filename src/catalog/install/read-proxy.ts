/** The owner's proxy on the way to the npm registry, chosen as npm chooses it. Pure. */
import { cannotInstall } from './install-errors.ts'
import type { NpmSettings } from './npm-settings.ts'

export interface ProxySetting {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** The value of `Proxy-Authorization`. Secret. */
  readonly authorization?: string
}

type Settings = Pick<NpmSettings, 'get' | 'all' | 'variable'>

/** `url` is the registry. Errors name no part of the setting: it may hold a password. */
export function readProxy(settings: Settings, url: string, what: string): ProxySetting | undefined {
  const given = settingFor(settings, new URL(url).hostname)
  if (given === undefined) return undefined
  const proxy = URL.parse(given)
  if (!proxy || !['http:', 'https:'].includes(proxy.protocol)) {
    const why = 'the proxy in your settings is not an http address'
    throw cannotInstall('registry-setting', what, why)
  }
  const isTls = proxy.protocol === 'https:'
  const host = proxy.hostname.replace(/^\[|\]$/g, '')
  const authorization = loginOf(proxy)
  const port = Number(proxy.port || (isTls ? 443 : 80))
  return { host, port, isTls, ...(authorization !== undefined && { authorization }) }
}

function settingFor(settings: Settings, host: string): string | undefined {
  const set = meant(settings.get('https-proxy')) ?? meant(settings.get('proxy'))
  const given = set ?? settings.variable('https_proxy')
  const without = settings.all('noproxy').join(',') || (settings.variable('no_proxy') ?? '')
  return isWithout(host, without) ? undefined : given
}

function loginOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(login).toString('base64')}`
}

/** `proxy=null` and `proxy=false` mean none, and then the variables of the environment count. */
function meant(value: string | undefined): string | undefined {
  return value === undefined || ['', 'null', 'false'].includes(value) ? undefined : value
}

/** npm compares whole labels from the right: `corp.example` and `.corp.example` both mean every host below it. */
export function isWithout(host: string, without: string): boolean {
  const labels = host.split('.').reverse()
  return without.split(',').some((entry) => {
    const wanted = entry.trim().split('.').filter(Boolean).reverse()
    return wanted.length > 0 && wanted.every((label, at) => label === labels[at])
  })
}
