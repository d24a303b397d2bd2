/** Works on items in order, with limited concurrency. Waits for all items under way, so no result is lost. */
import { ItemEnded, RunParked } from './run-ends.ts'

/**
 * Results are in the order of the items. After an item fails, no other item begins; after an item that has to wait, the
 * others still do. If several fail, the first in the list is thrown and not the quickest, so a resumed run throws the
 * same error.
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
  // An `ItemEnded` ends only the node and the run goes on, so items that still wait are finished first.
  if (waits.length > 0 && (failures.size === 0 || failure instanceof ItemEnded))
    throw earliest(waits)
  if (failures.size > 0) throw failure
  return results
}

/** The earliest time of all waits; a question to the owner has no time. */
function earliest(waits: readonly RunParked[]): RunParked {
  const times = waits.flatMap(({ until }) => (until ? [until.getTime()] : []))
  return times.length > 0 ? new RunParked(new Date(Math.min(...times))) : new RunParked()
}
