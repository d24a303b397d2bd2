/** Works on items in order, so many at once. Whatever is under way ends before it does, so that nothing of it is lost. */
import { RunParked } from './run-ends.ts'

/** In the order of the items. One that fails keeps the others from beginning; one that has to wait does not. */
export async function forEachItem<A, B>(
  items: readonly A[],
  atOnce: number,
  work: (item: A) => Promise<B>,
): Promise<readonly B[]> {
  const results: B[] = []
  const waits: RunParked[] = []
  const failures: unknown[] = []
  let next = 0
  async function lane(): Promise<void> {
    while (next < items.length && failures.length === 0) {
      const at = next
      next += 1
      try {
        results[at] = await work(items[at] as A)
      } catch (error) {
        if (error instanceof RunParked) waits.push(error)
        else failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane))
  if (failures.length > 0) throw failures[0]
  if (waits.length > 0) throw earliest(waits)
  return results
}

/** A question has no time. */
function earliest(waits: readonly RunParked[]): RunParked {
  const times = waits.flatMap(({ until }) => (until ? [until.getTime()] : []))
  return times.length > 0 ? new RunParked(new Date(Math.min(...times))) : new RunParked()
}
