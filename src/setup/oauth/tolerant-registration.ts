/**
 * Normalises the answer of a registration endpoint to RFC 7591, section 3.2.1: any 2xx counts as "created", and a
 * secret without `client_secret_expires_at` does not expire. Drops every field that is not used.
 */
import { z } from 'zod'
import type { Fetch } from './careful-fetch.ts'

const text = z.string().min(1).optional().catch(undefined)

const fieldsShape = z.object({
  client_id: text,
  client_secret: text,
  client_secret_expires_at: z.coerce.number().nonnegative().catch(0),
  token_endpoint_auth_method: text,
})

export function createTolerantRegistration(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok) return response
    const fields = fieldsShape.safeParse(await response.json().catch(() => undefined)).data
    return Response.json(fields ?? null, { status: 201 })
  }
}
