/** Work that is done so many at a time; the rest waits in line, in order. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>

export function createLane(width: number): Lane {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < width) running += 1
    else await new Promise<void>((go) => waiting.push(go)) // takes the place of one that is done
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
