/**
 * The way to authorization servers: a deadline for each request, a limit to each answer, and no redirect followed.
 * What comes back is complete, so that no caller has to wait for, or count, a body.
 */
import { CordonError } from '../../kernel/error.ts'
import { readAtMost } from '../../text/read-at-most.ts'
import { SignInFailure } from './sign-in-failure.ts'

export type Fetch = typeof globalThis.fetch

/** Well below the 30 seconds after which others may think that we are dead. */
const DEADLINE_MS = 20_000
const MOST_BYTES = 256 * 1024
const WITHOUT_BODY = new Set([204, 205, 304])

export function createCarefulFetch(fetch: Fetch, signal: AbortSignal): Fetch {
  return async (input, init) => {
    const signals = [signal, AbortSignal.timeout(DEADLINE_MS)]
    if (init?.signal) signals.push(init.signal)
    const limits = { redirect: 'manual', signal: AbortSignal.any(signals) } as const
    try {
      const response = await fetch(input, { ...init, ...limits })
      const { status, headers } = response
      const body = await readAtMost(response.body, MOST_BYTES)
      if (!body) throw new SignInFailure('the server sent an answer of endless length')
      return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(body), {
        status,
        headers,
      })
    } catch (error) {
      signal.throwIfAborted()
      throw clauseFor(error)
    }
  }
}

function clauseFor(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  if (isLate) return new SignInFailure('the server did not answer in time', error)
  // "Cannot connect to x: why" says more than we could, and holds nothing but a host.
  const why = error instanceof CordonError ? ` (${error.message})` : ''
  return new SignInFailure(`the server could not be reached${why}`, error)
}
