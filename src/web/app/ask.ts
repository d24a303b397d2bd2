/**
 * The page's side of the session and the API. No script can read the cookie; this one keeps the CSRF token, in the
 * storage of this one origin.
 */
import { type Signal, signal } from '@preact/signals'
import type { Input, Output, PageRoute } from '../../api/contract.ts'
import type { ErrorBody } from '../../kernel/error.ts'

const CSRF = 'cordon-csrf'

/** An error that the API answered with, and its hint. */
export class Refused extends Error {
  readonly code: string
  readonly hint: string

  constructor({ code, message, hint }: Pick<ErrorBody, 'code' | 'message' | 'hint'>) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** `notice` says why this browser is signed out. */
export type SignIn =
  | { readonly kind: 'entering' }
  | { readonly kind: 'in' }
  | { readonly kind: 'out'; readonly notice?: string }

export const signIn: Signal<SignIn> = signal({ kind: 'entering' })

/** Signs in with the token of a link, if the address holds one; an old link does not matter to a session that goes on. */
export async function enterFromAddress(): Promise<void> {
  const token = takeToken()
  const isKnown = (): boolean => localStorage.getItem(CSRF) !== null
  if (token !== undefined) {
    try {
      const { csrf } = (await post('session/enter', { token })) as { readonly csrf: string }
      localStorage.setItem(CSRF, csrf)
    } catch (error) {
      if (!isKnown()) return signOutBecause(error instanceof Refused ? `${error.message}.` : '')
    }
  }
  signIn.value = isKnown() ? { kind: 'in' } : { kind: 'out' }
}

export async function leave(): Promise<void> {
  await post('session/leave', {})
  signOutBecause('You are signed out.')
}

export async function ask<R extends PageRoute>(
  route: R,
  input: Input<R>,
  abort?: AbortSignal,
): Promise<Output<R>> {
  return (await post(route, input, abort)) as Output<R>
}

/** The token leaves the address bar and the history before anything else happens. */
function takeToken(): string | undefined {
  const token = /^#enter=([\w-]+)$/.exec(location.hash)?.[1]
  if (token !== undefined) history.replaceState(null, '', location.pathname)
  return token
}

function signOutBecause(notice: string): void {
  localStorage.removeItem(CSRF)
  signIn.value = { kind: 'out', ...(notice !== '' && { notice }) }
}

export const OFFLINE = 'offline'

async function post(path: string, body: object, abort?: AbortSignal): Promise<unknown> {
  const headers = {
    'Content-Type': 'application/json',
    'X-Cordon-Csrf': localStorage.getItem(CSRF) ?? '',
  }
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: abort ?? null }
  // oxlint-disable-next-line no-restricted-globals -- the browser's own; connect-src binds it to this server
  const response = await fetch(`/api/${path}`, request).catch((error: unknown) => {
    abort?.throwIfAborted()
    throw unreachable(error)
  })
  const answer = (await response.json().catch(unreachable)) as { readonly error?: ErrorBody }
  if (response.ok) return answer
  const refused = answer instanceof Refused ? answer : new Refused(answer.error ?? UNREADABLE)
  if (refused.code === 'web.session' || refused.code === 'web.csrf') {
    signOutBecause('Your session has ended.')
  }
  throw refused
}

function unreachable(cause: unknown): Refused {
  const refused = new Refused({
    code: OFFLINE,
    message: 'Cannot reach Cordon',
    hint: 'Run `cordon up` in a terminal; this page goes on by itself',
  })
  refused.cause = cause
  return refused
}

const UNREADABLE = {
  code: 'unreadable',
  message: 'Cannot read the answer of Cordon',
  hint: 'Load the page again',
}
