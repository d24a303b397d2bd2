/** How fast something may go on: at full speed up to an amount, then as fast as the amount comes back. Pure. */
import type { RateLimit } from './rate-limit.ts'

const SECOND_MS = 1000

/** Returns how long to wait after that much, in milliseconds; 0 as long as nothing is owed. */
export function createPace(
  { atOnce, perSecond }: RateLimit,
  now: () => number = () => performance.now(),
): (amount: number) => number {
  let left = atOnce
  let at = now()
  return (amount) => {
    const moment = now()
    const earned = (Math.max(0, moment - at) / SECOND_MS) * perSecond
    left = Math.min(atOnce, left + earned) - amount
    at = moment
    return left >= 0 ? 0 : (-left / perSecond) * SECOND_MS
  }
}
