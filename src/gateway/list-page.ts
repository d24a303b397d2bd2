/**
 * Pages of a list. A cursor is a position in one list, known by its digest: a list that changed since has no such page, and
 * every kernel that has the same list gives the page after it.
 */
import { hash } from 'node:crypto'
import type { Json, JsonObject } from '../text/json.ts'
import { INVALID_PARAMS, RpcError } from './rpc-message.ts'

const PAGE_SIZE = 500
const DIGEST_LENGTH = 16

export function listPage(
  member: string,
  items: readonly JsonObject[],
  cursor: Json | undefined,
): JsonObject {
  if (items.length <= PAGE_SIZE && cursor === undefined) return { [member]: items }
  const id = digestOf(items)
  const start = cursor === undefined ? 0 : positionIn(cursor, id)
  const end = start + PAGE_SIZE
  return {
    [member]: items.slice(start, end),
    ...(end < items.length && { nextCursor: `${id}:${end}` }),
  }
}

/** Lists that do not change are the same object, and thousands of tools take tens of milliseconds to digest. */
const digests = new WeakMap<readonly JsonObject[], string>()

function digestOf(items: readonly JsonObject[]): string {
  const digest = digests.get(items) ?? hash('sha256', JSON.stringify(items)).slice(0, DIGEST_LENGTH)
  digests.set(items, digest)
  return digest
}

function positionIn(cursor: Json, id: string): number {
  const [of, position] = typeof cursor === 'string' ? cursor.split(':') : []
  if (of !== id || !/^\d{1,9}$/.test(position ?? '')) {
    throw new RpcError(INVALID_PARAMS, 'The list has changed: read it from its beginning')
  }
  return Number(position)
}
