/** Pages of a list. A cursor is a position in one list, known by its digest: a list that changed since has no such page. */
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
  const id = hash('sha256', JSON.stringify(items)).slice(0, DIGEST_LENGTH)
  const start = cursor === undefined ? 0 : positionIn(cursor, id)
  const end = start + PAGE_SIZE
  return {
    [member]: items.slice(start, end),
    ...(end < items.length && { nextCursor: `${id}:${end}` }),
  }
}

function positionIn(cursor: Json, id: string): number {
  const [of, position] = typeof cursor === 'string' ? cursor.split(':') : []
  if (of !== id || !/^\d{1,9}$/.test(position ?? '')) {
    throw new RpcError(INVALID_PARAMS, 'The list has changed: read it from its beginning')
  }
  return Number(position)
}
