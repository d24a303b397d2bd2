/** Limits concurrency: at most `width` operations run at once; the rest wait in order. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>

export function createLane(width: number): Lane {
  let running = 0
  const waiting: (() => void)[] = []
  const leave = (): void => {
    const next = waiting.shift()
    if (next)
      next() // takes over the slot of the finished operation
    else running -= 1
  }
  return async (work) => {
    if (running >= width) await new Promise<void>((go) => waiting.push(go))
    else running += 1
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
