/** At most `limit` in each window of `windowMs`. The answer is whether this one is within it. */
interface QuotaSpec {
  readonly limit: number
  readonly windowMs: number
  readonly now: () => number
}

export function createQuota({ limit, windowMs, now }: QuotaSpec): () => boolean {
  let windowEnds = 0
  let left = 0
  return () => {
    if (now() >= windowEnds) {
      windowEnds = now() + windowMs
      left = limit
    }
    left -= 1
    return left >= 0
  }
}
