/** Two clocks to tell how old a lease is. */
export interface LeaseClock {
  readonly wall: number
  readonly steady: number
}

/** The wall clock runs on while the machine is suspended; the monotonic clock cannot be set back. */
export function leaseClock(): LeaseClock {
  return { wall: Date.now(), steady: performance.now() }
}

export function passedSince({ wall, steady }: LeaseClock): number {
  return Math.max(Date.now() - wall, performance.now() - steady)
}
