/** Whether an error says that the database of the store does not answer now: the same statement may succeed later. Pure. */
import { CordonError } from '../kernel/error.ts'

export function isStoreAway(error: unknown): boolean {
  return error instanceof CordonError && error.code === 'store.unreachable'
}
