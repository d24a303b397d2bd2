/**
 * Gives a token back (RFC 7009): the refresh token first, since that ends the grant; then the access token. Whether or not
 * the server can be told, the token is gone here afterwards; the audit log says which of the two it was.
 */
import * as oauth from 'oauth4webapi'
import type { Vault } from '../../kernel/ports.ts'
import { forgetRegistration } from './client-identity.ts'
import { sourceOf } from './redeem.ts'
import type { RenewRooms } from './renew-token.ts'
import type { StoredToken } from './stored-token.ts'
import { atServer, serverOf } from './token-endpoint.ts'

export interface RevokeRooms extends RenewRooms {
  readonly vault: Pick<Vault, 'lease' | 'remove'>
}

/** Which of the two it was. `forgotten`: it is void at the server only once it expires. */
type Outcome = 'revoked' | 'forgotten'

export async function revokeToken(
  rooms: RevokeRooms,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { shelf, vault, audit, owner } = rooms
  const work = async (): Promise<void> => {
    const token = await shelf.find(name, signal)
    const outcome = token ? await giveBack(rooms, token, signal) : 'forgotten'
    await shelf.remove(name)
    const client = token && sourceOf(token)?.client
    if (client) await forgetRegistration(vault, owner, client)
    const event = { kind: 'setup.token-revoked', principal: owner, subject: name } as const
    await audit.appendDurable({ ...event, details: { outcome } })
  }
  await shelf.exclusively(name, work, signal)
}

async function giveBack(
  rooms: RevokeRooms,
  token: StoredToken,
  signal: AbortSignal,
): Promise<Outcome> {
  const source = sourceOf(token)
  if (source?.revocationEndpoint === undefined) return 'forgotten'
  const place = { server: serverOf(source), client: source.client }
  const given = [token.refresh_token, token.access_token].filter((value) => value !== undefined)
  try {
    await atServer(
      rooms,
      place,
      async ({ server, client, auth, options }) => {
        for (const value of given) {
          const sent = await oauth.revocationRequest(server, client, auth, value, options)
          await oauth.processRevocationResponse(sent)
        }
      },
      signal,
    )
    return 'revoked'
  } catch {
    // Whatever it was, the server or a client secret that is gone: a token is not kept because it cannot be given back.
    signal.throwIfAborted()
    return 'forgotten'
  }
}
