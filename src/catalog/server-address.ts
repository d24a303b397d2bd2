/** Untrusted addresses: the `https://…` of an MCP server, or the bare domain of a site. Pure; resolves no name. */
import { badAddress, secretInText } from './catalog-errors.ts'
import { isSecretValue } from '../text/looks-secret.ts'
import { isSecretName } from '../text/secret-name.ts'

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i
/** File extensions, and top-level domains that do not exist on the internet. */
const NO_SITE =
  /\.(?:js|mjs|cjs|ts|jsx|tsx|json|jsonl|txt|toml|yml|yaml|csv|png|jpe?g|gif|svg|pdf|html?|css|exe|dll|lock|log|conf|local|localhost|internal|lan|home|corp|test|invalid|onion)$/
/** Hosts of source code: a repository page there is about a server, not its address. */
const CODE_HOSTS = /^(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)$/

/** Whether a text is the token of a known service. */
export type IsToken = (text: string) => boolean

export function isUrl(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text)
}

export function parseServerUrl(text: string, isToken: IsToken): URL {
  if (!URL.canParse(text)) throw badAddress('a broken address', 'Paste it as `https://host/path`')
  const url = new URL(text)
  if (url.username || url.password || holdsSecret(url, isToken)) throw secretInText('an address')
  if (url.protocol !== 'https:') {
    throw badAddress(
      'a server over plain http',
      'Use its https:// address; for one on this machine, write a definition with `cordon mcp add`',
    )
  }
  refuseHost(url.hostname)
  if (CODE_HOSTS.test(url.hostname) && /^\/[^/]+\/[^/]+\/?$/.test(url.pathname)) {
    throw badAddress('a page of source code', 'Paste the `npx …` line or the address of the server')
  }
  return url
}

/** The canonical host of a bare domain; undefined if the word is not a domain. */
export function parseDomain(word: string): string | undefined {
  const text = word.replace(/\/$/, '')
  if (!/^[^\s/@:?#[\]\\%]+\.[^\s/@:?#[\]\\%]+$/.test(text) || NO_SITE.test(text.toLowerCase()))
    return undefined
  if (ADDRESS.test(text)) throw numericAddress()
  const host = URL.canParse(`https://${text}`) ? new URL(`https://${text}`).hostname : ''
  return DOMAIN.test(host) ? host : undefined
}

function refuseHost(host: string): void {
  if (ADDRESS.test(host)) throw numericAddress()
  if (!DOMAIN.test(host) || NO_SITE.test(host)) {
    throw badAddress(
      'an address inside this network',
      'Write a definition for it with `cordon mcp add`',
    )
  }
}

function numericAddress(): Error {
  return badAddress('a numeric address', 'Use its name, such as `tracker.example.com`')
}

function holdsSecret(url: URL, isToken: IsToken): boolean {
  const parts = [...url.pathname.split('/'), url.hash.slice(1)]
  const isSecret = (text: string): boolean => isToken(text) || isSecretValue(text, 'address')
  return (
    parts.some(isSecret) ||
    [...url.searchParams].some(
      ([key, value]) => isSecret(value) || (value !== '' && isSecretName(key, 'declared')),
    )
  )
}
