/**
 * Checks the url of a remote server: https, except on loopback, and without a secret in it. A message never repeats the
 * url, since it may hold the secret.
 */
import { holdsKnownToken, looksSecret } from '../text/looks-secret.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The mistake in the text as a server's url, or undefined. */
export function urlMistake(text: string): string | undefined {
  if (!URL.canParse(text)) return 'expected an address like "https://mcp.example.com/mcp"'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !isLocalHttp(url)) {
    return 'expected an https:// address; http:// is only for localhost'
  }
  if (url.username || url.password) {
    return 'expected an address without user name and password; store them with `cordon vault set NAME`, then name them under [auth]'
  }
  if (holdsSecretQuery(url) || holdsKnownToken(text)) {
    return 'expected an address without a token in it; store the token with `cordon vault set NAME`, then write bearer = "vault:NAME" under [auth]'
  }
  return undefined
}

function isLocalHttp(url: URL): boolean {
  return url.protocol === 'http:' && LOOPBACK.has(url.hostname)
}

function holdsSecretQuery(url: URL): boolean {
  return [...url.searchParams].some(([key, value]) => looksSecret(key, value))
}
