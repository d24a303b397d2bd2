/** Work that is done so many at a time; the rest waits in line, in order. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>

export function createLane(width: number): Lane {
  let running = 0
  const waiting: (() => void)[] = []
  const leave = (): void => {
    const next = waiting.shift()
    if (next)
      next() // takes the place of the one that is done
    else running -= 1
  }
  return (work) => {
    const run = () => Promise.try(work).finally(leave)
    if (running >= width) return new Promise<void>((go) => waiting.push(go)).then(run)
    running += 1
    return run()
  }
}
