/**
 * One-time links into the page. A link works once and for ten minutes; only its hash is kept, in memory. The token is
 * in the URL fragment, which a browser sends to no server: it is in no log and no Referer.
 */
import { createToken, hashToken } from './token.ts'

const LIFETIME_MS = 10 * 60_000
const MOST_LINKS = 32

export interface EntryLinks {
  create(): { readonly url: string; readonly expiresAt: string }
  /** Whether the token opens the page. A token that did never does again. */
  take(token: string): boolean
}

export function createEntryLinks(page: string, now: () => number): EntryLinks {
  /** Expiry time by hash, oldest first. */
  const links = new Map<string, number>()
  return {
    create() {
      const token = createToken()
      const expiresAt = now() + LIFETIME_MS
      links.set(hashToken(token), expiresAt)
      for (const oldest of links.keys()) if (links.size > MOST_LINKS) links.delete(oldest)
      return { url: `${page}/#enter=${token}`, expiresAt: new Date(expiresAt).toISOString() }
    },
    take(token) {
      const hash = hashToken(token)
      const expiresAt = links.get(hash) ?? 0
      links.delete(hash)
      return now() < expiresAt
    },
  }
}
