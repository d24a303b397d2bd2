/** Works on items in order, so many at once. Whatever is under way ends before it does, so that nothing of it is lost. */
import { ItemEnded, RunParked } from './run-ends.ts'

/**
 * In the order of the items. One that fails keeps the others from beginning; one that has to wait does not. Of several
 * that fail the first in the list counts, and not the quickest, so that it is the same one when the run is taken up again.
 */
export async function forEachItem<A, B>(
  items: readonly A[],
  atOnce: number,
  work: (item: A) => Promise<B>,
): Promise<readonly B[]> {
  const results: B[] = []
  const waits: RunParked[] = []
  const failures = new Map<number, unknown>()
  let next = 0
  async function lane(): Promise<void> {
    while (next < items.length && failures.size === 0) {
      const at = next
      next += 1
      try {
        results[at] = await work(items[at] as A)
      } catch (error) {
        if (error instanceof RunParked) waits.push(error)
        else failures.set(at, error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane))
  const failure = failures.get(Math.min(...failures.keys()))
  // The run goes on after an item that only ended the node, so what is still open of the others comes first.
  if (waits.length > 0 && (failures.size === 0 || failure instanceof ItemEnded))
    throw earliest(waits)
  if (failures.size > 0) throw failure
  return results
}

/** A question has no time. */
function earliest(waits: readonly RunParked[]): RunParked {
  const times = waits.flatMap(({ until }) => (until ? [until.getTime()] : []))
  return times.length > 0 ? new RunParked(new Date(Math.min(...times))) : new RunParked()
}
