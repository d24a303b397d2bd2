/** Holds one lease per newest token, shared by all requests, so that a request needs no lease of its own. */
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { OAuthTokens } from './create-tokens.ts'
import { hashToken } from './stored-token.ts'

export interface LentTokens extends AsyncDisposable {
  /** `known` itself if it is still the newest token, or if no newer one is available. */
  newest(name: string, known: string, signal: AbortSignal): Promise<string>
}

interface LentTokensParts {
  readonly tokens: Pick<OAuthTokens, 'freshness'>
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
}

interface Loan {
  readonly hash: string
  /** Shared by all callers, so no caller's abort signal cancels it. */
  readonly token: Promise<string>
  end(): Promise<void>
}

export function openLentTokens({ tokens, vault, owner }: LentTokensParts): LentTokens {
  const loans = new Map<string, Loan>()
  const end = async (name: string): Promise<void> => {
    const loan = loans.get(name)
    loans.delete(name)
    await loan?.end()
  }
  const borrow = async (name: string, hash: string): Promise<string> => {
    const refs = { token: { scheme: 'oauth', name } } as const
    const ended = end(name)
    const lease = vault.lease(owner, refs, new AbortController().signal)
    const token = lease.then((held) => held.value('token').toString())
    const giveBack = async (): Promise<void> => await (await lease)[Symbol.asyncDispose]()
    loans.set(name, { hash, token, end: () => giveBack().catch(() => undefined) })
    token.catch(() => loans.delete(name)) // callers that await the token get the error
    await ended
    return await token
  }
  return {
    async newest(name, known, signal) {
      const fresh = await tokens.freshness(name, signal)
      if (fresh.kind !== 'fresh' || fresh.hash === hashToken(known)) return known
      const loan = loans.get(name)
      return loan?.hash === fresh.hash ? await loan.token : await borrow(name, fresh.hash)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...loans.keys()].map(end))
    },
  }
}
