/** The store of tokens in the vault: read by lease, written whole, one writer at a time across all processes. */
import type { Locks, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import { tokenDamaged } from './oauth-errors.ts'
import { parseStoredToken, type StoredToken } from './stored-token.ts'

const PREFIX = 'oauth/'

export interface TokenStoreDeps {
  readonly vault: Pick<Vault, 'lease' | 'set' | 'remove' | 'list'>
  readonly locks: Locks
  readonly owner: PrincipalId
}

export interface TokenStore {
  names(): Promise<readonly string[]>
  /** Throws if the token is missing or cannot be parsed, or if the vault is locked. */
  read(name: string, signal: AbortSignal): Promise<StoredToken>
  /** Undefined if the stored value is not a token. */
  find(name: string, signal: AbortSignal): Promise<StoredToken | undefined>
  /** Durable when it resolves. Call only inside `exclusively`. */
  write(name: string, token: StoredToken): Promise<void>
  remove(name: string): Promise<void>
  /** Runs `work` under a lock that all processes share, so a read-modify-write of this token cannot race. */
  exclusively<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export function createTokenStore({ vault, locks, owner }: TokenStoreDeps): TokenStore {
  const find: TokenStore['find'] = async (name, signal) => {
    const ref = { scheme: 'vault', name: PREFIX + name } as const
    await using lease = await vault.lease(owner, { token: ref }, signal)
    return parseStoredToken(lease.value('token').toString())
  }
  return {
    async names() {
      const names = (await vault.list(owner)).map(({ name }) => name)
      return names
        .filter((name) => name.startsWith(PREFIX))
        .map((name) => name.slice(PREFIX.length))
    },
    find,
    async read(name, signal) {
      const token = await find(name, signal)
      if (!token) throw tokenDamaged(name)
      return token
    },
    async write(name, token) {
      await vault.set(owner, PREFIX + name, Buffer.from(JSON.stringify(token)))
    },
    async remove(name) {
      await vault.remove(owner, PREFIX + name)
    },
    exclusively: (name, work, signal) => locks.exclusively(`oauth/${owner}/${name}`, work, signal),
  }
}
