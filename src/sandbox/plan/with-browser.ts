/**
 * The browser of this machine for a server that starts one: its path stands where the definition says `{browser}`, in an
 * argument or a variable. The browser's own sandbox needs namespaces, which nothing inside may make, so servers start it
 * without; its profile lies in the scratch of the server and is gone with it.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import { noBrowser } from '../sandbox-errors.ts'
import type { Mount } from './mount.ts'

const STANDS_FOR_BROWSER = '{browser}'

/** The programs themselves: the scripts that start them in /usr/bin read files that no sandbox shows. */
const BROWSERS = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
]

/**
 * Settings of the browser, in the form that its administrator's policies have. Without them every connection names its
 * host encrypted (ECH), which the proxy refuses, and the browser asks its maker for updates and lists on its own.
 */
const POLICY = JSON.stringify({
  EncryptedClientHelloEnabled: false,
  DnsOverHttpsMode: 'off',
  QuicAllowed: false,
  BackgroundModeEnabled: false,
  ComponentUpdatesEnabled: false,
  MetricsReportingEnabled: false,
  NetworkPredictionOptions: 2,
  PasswordManagerEnabled: false,
  SafeBrowsingProtectionLevel: 0,
  SearchSuggestEnabled: false,
  SyncDisabled: true,
  TranslateEnabled: false,
})
const POLICY_FILES = [
  '/etc/chromium/policies/managed/cordon.json',
  '/etc/opt/chrome/policies/managed/cordon.json',
]

export interface BrowserParts {
  readonly spec: LaunchSpec
  readonly mounts: readonly Mount[]
  /** Files inside that are made for the browser, by path. */
  readonly files: Readonly<Record<string, string>>
}

/** The launch with the path of the browser in it. Refused if there is none. */
export function withBrowser(
  spec: LaunchSpec,
  isThere: (file: string) => boolean = existsSync,
): BrowserParts {
  if (spec.settings.startsBrowser !== true) return { spec, mounts: [], files: {} }
  const browser = BROWSERS.find(isThere)
  if (browser === undefined) throw noBrowser(spec.server)
  const put = (word: string): string => word.replaceAll(STANDS_FOR_BROWSER, browser)
  const environment = Object.entries(spec.environment).map(([name, value]) => [name, put(value)])
  return {
    spec: { ...spec, args: spec.args.map(put), environment: Object.fromEntries(environment) },
    mounts: mountsFor(browser),
    files: Object.fromEntries(POLICY_FILES.map((file) => [file, POLICY])),
  }
}

/** Everything below /usr is inside already. */
function mountsFor(browser: string): readonly Mount[] {
  if (browser.startsWith('/usr/')) return []
  const folder = path.dirname(browser)
  return [{ source: folder, target: folder, writable: false }]
}
