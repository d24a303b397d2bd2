/** A rate limit (token bucket): so much at once, and so much a second after that; a pause saves up no more than that. */
export interface RateLimit {
  readonly atOnce: number
  readonly perSecond: number
}

/** Takes an amount where there is as much left; says whether there was. A clock that is set back gives nothing. */
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
