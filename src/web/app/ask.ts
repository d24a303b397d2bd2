/**
 * The page's side of the session and the API. No script can read the cookie; this one keeps the CSRF token, in the
 * storage of this one origin.
 */
import { type Signal, signal } from '@preact/signals'
import type { Input, Output, PageRoute } from '../../api/contract.ts'
import type { ErrorBody } from '../../kernel/error.ts'
import { addressOf, place } from './place.ts'

const CSRF = 'cordon-csrf'
/** Set for a moment when the person signs out in one tab. */
const LEFT = 'cordon-left'
const SIGNED_OUT = 'You are signed out.'

/** An error that the API answered with, and its hint. */
export class Refused extends Error {
  readonly code: string
  readonly hint: string
  /** The call that was refused, as `callOf` writes it. */
  call: string | undefined

  constructor({ code, message, hint }: Pick<ErrorBody, 'code' | 'message' | 'hint'>) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/**
 * `out`: nothing of the session is left in the page. `ended`: the session ended while the page was open, and what was
 * typed waits, unseen, for the next one. `notice` says why.
 */
export type SignIn =
  | { readonly kind: 'entering' }
  | { readonly kind: 'in' }
  | { readonly kind: 'out' | 'ended'; readonly notice?: string }

export const signIn: Signal<SignIn> = signal({ kind: 'entering' })

/** The hash of the page that the kernel serves now. */
export const servedPage: Signal<string | undefined> = signal(undefined)

/** The last call that was answered: a message about an earlier failure of it is over. */
export const answered: Signal<string> = signal('')

/** Signs in with the token of a link, if the address holds one; an old link does not matter to a session that goes on. */
export async function enterFromAddress(): Promise<void> {
  const token = takeToken()
  const isKnown = (): boolean => localStorage.getItem(CSRF) !== null
  if (token !== undefined) {
    try {
      const { csrf } = (await post('session/enter', { token })) as { readonly csrf: string }
      localStorage.setItem(CSRF, csrf)
    } catch (error) {
      const notice = error instanceof Refused ? `${error.message}.` : ''
      if (!isKnown()) return leaveBecause(signIn.value.kind === 'ended' ? 'ended' : 'out', notice)
    }
  }
  if (isKnown()) signIn.value = { kind: 'in' }
  else if (signIn.value.kind === 'entering') signIn.value = { kind: 'out' }
}

export async function leave(): Promise<void> {
  await post('session/leave', {})
  localStorage.setItem(LEFT, 'yes') // an event for the other tabs, and then nothing is left of it
  localStorage.removeItem(LEFT)
  leaveBecause('out', SIGNED_OUT)
}

/** The other tabs of this browser share the session: they leave with it, and enter with it. */
export function followOtherTabs(onEntered: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === LEFT) leaveBecause('out', SIGNED_OUT)
    if (key === CSRF && newValue !== null && signIn.value.kind !== 'in') onEntered()
  })
}

export async function ask<R extends PageRoute>(
  route: R,
  input: Input<R>,
  abort?: AbortSignal,
): Promise<Output<R>> {
  const call = callOf(route, input)
  try {
    const answer = (await post(route, input, abort)) as Output<R>
    answered.value = call
    return answer
  } catch (error) {
    if (error instanceof Refused) error.call = call
    throw error
  }
}

/** The route and the thing that it was about: the failure of another server is not over. */
function callOf(route: string, input: object): string {
  const { server, connection, id } = input as Readonly<Record<string, string | undefined>>
  return `${route} ${server ?? connection ?? id ?? ''}`
}

/** The token leaves the address bar and the history before anything else happens; the screen stays that of before. */
function takeToken(): string | undefined {
  const token = /^#enter=([\w-]+)$/.exec(location.hash)?.[1]
  const { screen, rest } = place.value
  const address = screen === 'home' ? location.pathname : addressOf(screen, ...rest)
  if (token !== undefined) history.replaceState(null, '', address)
  return token
}

function leaveBecause(kind: 'out' | 'ended', notice: string): void {
  localStorage.removeItem(CSRF)
  signIn.value = { kind, ...(notice !== '' && { notice }) }
}

function hasLeft(): boolean {
  return signIn.value.kind === 'ended' || signIn.value.kind === 'out'
}

export const OFFLINE = 'offline'

/** Worth another try later: the kernel is away, or the session ended and a new one may begin in this very page. */
export function isPassing({ code }: Refused): boolean {
  return (
    code === OFFLINE ||
    (signIn.value.kind !== 'out' && (code === ENDED.code || code === 'web.session'))
  )
}

async function post(path: string, body: object, abort?: AbortSignal): Promise<unknown> {
  const response = await send(path, body, abort)
  servedPage.value = response.headers.get('X-Cordon-Page') ?? servedPage.value
  const answer = (await response.json().catch(unreachable)) as { readonly error?: ErrorBody }
  if (response.ok) return answer
  const refused = answer instanceof Refused ? answer : new Refused(answer.error ?? UNREADABLE)
  if (refused.code === 'web.session' || refused.code === 'web.csrf') {
    if (!hasLeft()) leaveBecause('ended', 'Your session has ended.')
  }
  throw refused
}

async function send(path: string, body: object, abort?: AbortSignal): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    'X-Cordon-Csrf': localStorage.getItem(CSRF) ?? '',
  }
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: abort ?? null }
  // Without a session nothing would be answered, and each request would count as an attempt to get in.
  if (hasLeft() && path !== 'session/enter') throw new Refused(ENDED)
  // oxlint-disable-next-line no-restricted-globals -- the browser's own; connect-src binds it to this server
  return await fetch(`/api/${path}`, request).catch((error: unknown) => {
    abort?.throwIfAborted()
    throw unreachable(error)
  })
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

const ENDED = {
  code: 'ended',
  message: 'Your session has ended',
  hint: 'Run `cordon open` in a terminal for a new link',
}

const UNREADABLE = {
  code: 'unreadable',
  message: 'Cannot read the answer of Cordon',
  hint: 'Load the page again',
}
