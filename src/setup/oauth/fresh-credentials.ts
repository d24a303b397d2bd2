/**
 * The vault and the ways out as servers see them: an OAuth token is renewed before it is lent, and a request goes out with
 * the newest token, also in a session that began with an older one.
 */
import type { Egress } from '../../ports/egress-port.ts'
import type { Noticing } from '../../ports/notice-port.ts'
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { OAuthTokens } from './create-tokens.ts'
import { createRenewingFetch } from './renewing-fetch.ts'

export interface FreshCredentials extends AsyncDisposable {
  readonly vault: Pick<Vault, 'lease' | 'resolves'>
  readonly egress: Egress
}

export interface FreshCredentialsDeps {
  readonly vault: Vault
  readonly egress: Egress
  readonly tokens: OAuthTokens
  readonly owner: PrincipalId
  readonly notices: Pick<Noticing, 'raise'>
}

export function openFreshCredentials(deps: FreshCredentialsDeps): FreshCredentials {
  const { vault, egress, tokens, owner, notices } = deps
  const renewing = createRenewingFetch({
    tokens,
    vault,
    owner,
    onInsufficientScope: (name, scope) => notices.raise('scopes', name, scope.split(' ')),
  })
  return {
    vault: {
      resolves: (principal, ref) => vault.resolves(principal, ref),
      async lease(principal, refs, signal) {
        const names = Object.values(refs).filter(({ scheme }) => scheme === 'oauth')
        await Promise.all(names.map(({ name }) => tokens.ensureFresh(name, signal)))
        return await vault.lease(principal, refs, signal)
      },
    },
    egress: { ...egress, createFetch: (options) => renewing.wrap(egress.createFetch(options)) },
    [Symbol.asyncDispose]: () => renewing[Symbol.asyncDispose](),
  }
}
