/** Errors about tokens and callbacks, as people see them. A message never holds a token or a callback URL. */
import { CordonError } from '../../kernel/error.ts'

export function tokenDamaged(name: string): CordonError {
  return new CordonError(
    'setup.token-damaged',
    { exit: 5, hint: `Sign in again with \`cordon connect ${name}\`` },
    `Cannot read the stored token of ${JSON.stringify(name)}`,
  )
}

export function needsAuthorization(name: string, reason: string): CordonError {
  return new CordonError(
    'setup.needs-authorization',
    { exit: 5, hint: `Sign in again with \`cordon connect ${name}\`` },
    `Cannot renew the token of ${JSON.stringify(name)}: ${reason}`,
  )
}

export function notRenewed(name: string, reason: string): CordonError {
  return new CordonError(
    'setup.token-unavailable',
    { exit: 5, hint: `Try again in a while with \`cordon auth refresh ${name}\`` },
    `Cannot renew the token of ${JSON.stringify(name)} now: ${reason}`,
  )
}

export function notForIt(name: string, origin: string): CordonError {
  return new CordonError(
    'setup.wrong-audience',
    { exit: 3, hint: `Sign in to it with \`cordon connect\`; this token stays with ${name}` },
    `Cannot send the token of ${JSON.stringify(name)} to ${JSON.stringify(origin)}: it was issued for another address`,
  )
}

/** `scope` has the syntax of RFC 6749, or is empty if the service named none. */
export function lacksScope(name: string, tool: string, scope: string): CordonError {
  const which = scope === '' ? '' : ` (${scope})`
  return new CordonError(
    'setup.scope',
    { exit: 3, hint: `Run \`cordon connect ${name}\` to sign in with them, then call it again` },
    `Cannot call ${JSON.stringify(tool)} of ${JSON.stringify(name)}: it wants more permissions than you gave${which}`,
  )
}

/** Does not repeat the URL: it holds the authorization code. */
export function callbackRefused(why: string): CordonError {
  return new CordonError(
    'setup.callback',
    { exit: 2, hint: 'Start again with `cordon connect NAME`, and hand over the whole address' },
    `Cannot use this callback address: ${why}`,
  )
}
