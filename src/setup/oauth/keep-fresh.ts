/**
 * Looks after the tokens that servers use: renews each before it expires, and says when one that was lent is out of date,
 * so that its server can be given the new one. Asks nobody while there is nothing to do.
 */
import type { OAuthTokens } from './create-tokens.ts'
import type { Freshness } from './renewals.ts'

export interface KeepFreshParts {
  readonly tokens: Pick<OAuthTokens, 'freshness'>
  /** Those that are lent to a server now. */
  readonly names: () => Promise<readonly string[]>
  /** The token was renewed, here or by another process: whoever holds the old one takes a new lease. */
  readonly onRenewed: (name: string) => void
  /** It could not be looked at, for example because the vault is locked. Tried again later. */
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
    await parts.sleep(ms, signal).catch(() => undefined) // it ends by being aborted
  }
}

/** When to look again. */
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
