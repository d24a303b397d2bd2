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
  return (work) => {
    const run = () => Promise.try(work).finally(leave)
    if (running >= width) return new Promise<void>((go) => waiting.push(go)).then(run)
    running += 1
    return run()
  }
}
