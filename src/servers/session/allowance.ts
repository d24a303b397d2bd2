/** How much a server may send unasked: the rate limit of `text/`, under the name that this room gives it. */
import { createRateLimit, type RateLimit } from '../../text/rate-limit.ts'

export type Allowance = RateLimit

export const createAllowance: (
  allowance: Allowance,
  now?: () => number,
) => (amount: number) => boolean = createRateLimit
