/**
 * Normalises the answers of token and device endpoints to the standard form, whatever the provider sends: form-encoded
 * bodies, errors with status 200, numbers as text, scopes with commas, `verification_url`. Drops every field that is
 * not used; of an ID token only the name of the account is left.
 */
import { z } from 'zod'
import type { Fetch } from './careful-fetch.ts'
import { accountInIdToken } from './read-account.ts'

const text = z.string().min(1).optional().catch(undefined)
/** About thirty years; a longer lifetime counts as unknown, since it may not fit into a date. */
const MOST_SECONDS = 1e9
const seconds = z.coerce.number().positive().max(MOST_SECONDS).optional().catch(undefined)

const fieldsShape = z.object({
  access_token: text,
  token_type: text,
  refresh_token: text,
  scope: text.transform((scope) => scope?.replaceAll(/[\s,]+/g, ' ')),
  expires_in: seconds,
  id_token: text.transform((token) => token && accountInIdToken(token)),
  error: text,
  device_code: text,
  user_code: text,
  verification_uri: text,
  /** Google's name for `verification_uri`. */
  verification_url: text,
  interval: seconds,
})

export function createTolerantFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const type = response.headers.get('content-type') ?? ''
    const fields = fieldsShape.safeParse(readFields(await response.text(), type)).data
    if (!fields) return new Response(null, { status: response.status })
    const { token_type = 'bearer', verification_url, id_token: account, ...rest } = fields
    const named = { verification_uri: verification_url, account }
    const answer = { ...named, ...definedOf(rest), token_type }
    return Response.json(answer, {
      status: fields.error === undefined ? response.status : errorStatus(response.status),
    })
  }
}

function definedOf<T extends object>(fields: T): Partial<T> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as Partial<T>
}

/** GitHub and Slack send errors with status 200. */
function errorStatus(status: number): number {
  return status < 400 ? 400 : status
}

function readFields(body: string, type: string): unknown {
  if (type.includes('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(body))
  }
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
