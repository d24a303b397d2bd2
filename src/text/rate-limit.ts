/** A rate limit (token bucket): a burst of `atOnce`, refilled by `perSecond`, never above `atOnce`. */
export interface RateLimit {
  readonly atOnce: number
  readonly perSecond: number
}

/** Takes an amount if that much is left, and tells whether it did. A clock that is set back refills nothing. */
export function createRateLimit(
  { atOnce, perSecond }: RateLimit,
  now: () => number = () => performance.now(),
): (amount?: number) => boolean {
  let left = atOnce
  let last = now()
  return (amount = 1) => {
    const at = now()
    left = Math.min(atOnce, left + (Math.max(0, at - last) / 1000) * perSecond)
    last = at
    if (amount > left) return false
    left -= amount
    return true
  }
}
