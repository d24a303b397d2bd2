/**
 * Revokes a token (RFC 7009): the refresh token first, since that ends the grant, then the access token. The token is
 * removed from the vault even if the server cannot be reached; the audit log says whether it was revoked or only
 * forgotten.
 */
import * as oauth from 'oauth4webapi'
import type { Vault } from '../../kernel/ports.ts'
import { forgetRegistration } from './client-identity.ts'
import { sourceOf } from './redeem.ts'
import type { RenewDeps } from './renew-token.ts'
import type { StoredToken } from './stored-token.ts'
import { atServer, serverOf } from './token-endpoint.ts'

export interface RevokeDeps extends RenewDeps {
  readonly vault: Pick<Vault, 'lease' | 'remove'>
}

/** `forgotten`: removed from the vault only; the server accepts the token until it expires. */
type Outcome = 'revoked' | 'forgotten'

export async function revokeToken(
  deps: RevokeDeps,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const { tokenStore, vault, audit, owner } = deps
  const work = async (): Promise<void> => {
    const token = await tokenStore.find(name, signal)
    const outcome = token ? await giveBack(deps, token, signal) : 'forgotten'
    await tokenStore.remove(name)
    const client = token && sourceOf(token)?.client
    if (client) await forgetRegistration(vault, owner, client)
    const event = { kind: 'setup.token-revoked', principal: owner, subject: name } as const
    await audit.appendDurable({ ...event, details: { outcome } })
  }
  await tokenStore.exclusively(name, work, signal)
}

async function giveBack(
  deps: RevokeDeps,
  token: StoredToken,
  signal: AbortSignal,
): Promise<Outcome> {
  const source = sourceOf(token)
  if (source?.revocationEndpoint === undefined) return 'forgotten'
  const place = { server: serverOf(source), client: source.client }
  const given = [token.refresh_token, token.access_token].filter((value) => value !== undefined)
  try {
    await atServer(
      deps,
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
    // Any failure, of the server or of a missing client secret: a token that cannot be revoked is removed all the same.
    signal.throwIfAborted()
    return 'forgotten'
  }
}
