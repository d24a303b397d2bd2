/** So many a second, and as many at once after a pause. The answer is whether this one is within it. */
export function createTokenBucket(perSecond: number, now: () => number): () => boolean {
  let tokens = perSecond
  let filledAt = now()
  return () => {
    const at = now()
    tokens = Math.min(perSecond, tokens + (Math.max(0, at - filledAt) / 1000) * perSecond)
    filledAt = at
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}
