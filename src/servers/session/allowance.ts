/** So much at once, and so much a second after that. */
export interface Allowance {
  readonly atOnce: number
  readonly perSecond: number
}

/** Takes an amount where there is as much left; says whether there was. */
export function createAllowance(
  { atOnce, perSecond }: Allowance,
  now: () => number = () => performance.now(),
): (amount: number) => boolean {
  let left = atOnce
  let last = now()
  return (amount) => {
    const at = now()
    left = Math.min(atOnce, left + ((at - last) / 1000) * perSecond)
    last = at
    if (amount > left) return false
    left -= amount
    return true
  }
}
