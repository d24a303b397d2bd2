/** A page that a person is asked to open. It comes from a server, so it is a web page over TLS or it is nothing. */
import { SignInFailure } from './sign-in-failure.ts'

const LONGEST = 8192

export function parseWebPage(text: string): URL {
  const url = URL.parse(text)
  if (!url || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new SignInFailure('the server points to a page that is not safe to open')
  }
  // A browser takes more for a host than there are names; some of it is a command where a link is copied to a shell.
  if (!/^[a-z0-9.-]+$/.test(url.hostname)) {
    throw new SignInFailure('the server points to a page that is not safe to open')
  }
  if (url.href.length > LONGEST) {
    throw new SignInFailure('the server points to a page with an endless address')
  }
  return url
}
