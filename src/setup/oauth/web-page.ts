/** Checks the URL of a page that the owner is asked to open. The URL is untrusted, so only https is accepted. */
import { untrusted } from './sign-in-failure.ts'

const LONGEST = 8192

export function parseWebPage(text: string): URL {
  const url = URL.parse(text)
  if (!url || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw untrusted('the server points to a page that is not safe to open')
  }
  // The URL parser accepts host characters that no DNS name has; some (`$`, `(`, `;`) run a command if the link is
  // pasted into a shell.
  // A host that is a number is an address, which no certificate names: never a page of a provider.
  if (!/^[a-z0-9.-]+$/.test(url.hostname) || /^[\d.]+$/.test(url.hostname)) {
    throw untrusted('the server points to a page that is not safe to open')
  }
  if (url.href.length > LONGEST) {
    throw untrusted('the server points to a page with an endless address')
  }
  return url
}
