/**
 * Renews the tokens that servers use before they expire, and reports each renewal, so that the server can be lent the
 * new token. Sends no request while every token is fresh.
 */
import type { OAuthTokens } from './create-tokens.ts'
import type { Freshness } from './renewals.ts'

export interface KeepFreshParts {
  readonly tokens: Pick<OAuthTokens, 'freshness'>
  /** Names of the tokens that are lent to a server now. */
  readonly names: () => Promise<readonly string[]>
  /** The token was renewed by this or another process: holders of the old one must take a new lease. */
  readonly onRenewed: (name: string) => void
  /** The check failed, for example because the vault is locked. Retried later. */
  readonly onTrouble: (name: string, error: unknown) => void
  readonly now: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

const LONGEST_SLEEP_MS = 30_000
const SHORTEST_SLEEP_MS = 1000

/** Runs until `signal` aborts, and then resolves. */
export async function keepFresh(parts: KeepFreshParts, signal: AbortSignal): Promise<void> {
  const hashes = new Map<string, string>()
  while (!signal.aborted) {
    const times = await Promise.all(
      (await parts.names()).map((name) => look(parts, hashes, name, signal)),
    )
    const next = Math.min(...times, parts.now() + LONGEST_SLEEP_MS)
    const ms = Math.max(SHORTEST_SLEEP_MS, next - parts.now())
    await parts.sleep(ms, signal).catch(() => undefined) // an abort ends the sleep, then the loop
  }
}

/** Returns the time of the next check. */
async function look(
  { tokens, onRenewed, onTrouble, now }: KeepFreshParts,
  hashes: Map<string, string>,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  const later = now() + LONGEST_SLEEP_MS
  try {
    const fresh: Freshness = await tokens.freshness(name, signal)
    if (fresh.kind === 'unavailable') return fresh.retryAt
    if (fresh.kind === 'needs-authorization') return later
    const before = hashes.get(name)
    hashes.set(name, fresh.hash)
    if (before !== undefined && before !== fresh.hash) onRenewed(name)
    return fresh.until
  } catch (error) {
    if (!signal.aborted) onTrouble(name, error)
    return later
  }
}
