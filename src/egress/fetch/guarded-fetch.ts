/**
 * A fetch that only goes to URLs that its check allows, over the connections of its agent; every redirect is checked
 * again. Errors name a host, never a path, a query or a header.
 */
import type { Dispatcher } from 'undici'
import { CordonError } from '../../kernel/error.ts'
import type { CheckUrl } from './url-check.ts'
import { canSendAgain, type Hop, nextHop } from './next-hop.ts'
import { unreachable } from './vetted-agent.ts'

type Fetch = typeof globalThis.fetch
type Send = (hop: Hop) => Promise<Response>

const MOST_REDIRECTS = 5

export function createGuardedFetch(check: CheckUrl, dispatcher: Dispatcher): Fetch {
  return async (input, init) => {
    const url = parseUrl(input instanceof Request ? input.url : input)
    check(url) // first: an error of Request would repeat the whole URL
    const { method, headers, redirect, body } = readRequest(input, init)
    // Not `request.signal`: it follows the caller's signal only until the request is garbage-collected.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null)
    // Only the fields listed here reach the network: a caller cannot pass in a dispatcher of its own.
    const send: Send = async (hop) => {
      const fixed = { redirect: 'manual', duplex: 'half', dispatcher, signal } as const
      const { url, ...rest } = hop
      return await fetch(url, { ...rest, ...fixed } as unknown as RequestInit).catch(
        (error: unknown) => {
          throw signal?.aborted ? error : explain(error, url)
        },
      )
    }
    return await follow({ url, method, headers, body }, redirect, check, send)
  }
}

type Parts = Omit<Hop, 'url'> & Pick<Request, 'redirect'>

/** A text that is posted to a URL, as every question to a model is, needs no `Request` of its own: `fetch` makes one. */
function readRequest(input: Parameters<Fetch>[0], init: RequestInit | undefined): Parts {
  const { method, headers, body, redirect = 'follow' } = init ?? {}
  if (method === 'POST' && typeof body === 'string' && !(input instanceof Request)) {
    return { method, headers: checked(() => new Headers(headers)), body, redirect }
  }
  const request = checked(() => new Request(input, init))
  const given = init?.body ?? request.body
  const sent = canSendAgain(given) ? given : request.body
  return {
    method: request.method,
    headers: request.headers,
    body: sent,
    redirect: request.redirect,
  }
}

/** Hides the platform's error in the cause: it repeats the malformed header, which may be a credential. */
function checked<T>(create: () => T): T {
  try {
    return create()
  } catch (cause) {
    throw new CordonError(
      'egress.bad-request',
      { exit: 2, hint: 'Check the headers and the credential for line breaks and odd characters' },
      'Cannot send the request: its method, a header or its content is malformed',
      cause,
    )
  }
}

async function follow(
  first: Hop,
  mode: Request['redirect'],
  check: CheckUrl,
  send: Send,
): Promise<Response> {
  let hop = first
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const response = await send({ ...hop, url: check(hop.url) })
    if (mode === 'manual') return response
    const next = nextHop(hop, response.status, response.headers.get('location'))
    if (next === undefined) return response
    await response.body?.cancel()
    if (mode === 'error') throw tooMany(hop.url, 0)
    hop = next
  }
  throw tooMany(hop.url, MOST_REDIRECTS)
}

function parseUrl(input: string | URL): URL {
  if (input instanceof URL || URL.canParse(input)) return new URL(input)
  throw new CordonError(
    'egress.bad-url',
    { exit: 2, hint: 'Write an address like "https://api.example.com/path"' },
    'Cannot connect: the address is not a URL',
  )
}

/** A network failure is the `cause` of a `TypeError: fetch failed`; every other error is a mistake of the caller. */
function explain(error: unknown, { hostname }: URL): unknown {
  if (!(error instanceof TypeError) || error.cause === undefined) return error
  return error.cause instanceof CordonError ? error.cause : unreachable(hostname, error.cause)
}

function tooMany({ hostname }: URL, most: number): CordonError {
  return new CordonError(
    'egress.too-many-redirects',
    { exit: 5, hint: 'Ask whoever runs the host for the address it really answers at' },
    `Cannot follow ${JSON.stringify(hostname)}: more than ${most} redirects`,
  )
}
