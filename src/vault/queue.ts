/** One piece of work at a time, in the order it was handed in. A failed piece never stops the next. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    const done = last.then(work)
    last = done.catch(() => {})
    return await done
  }
}
