/** The position of a search over several registries, as one opaque text. Untrusted, so it is validated. */
import { badCursor } from '../catalog-errors.ts'
import { recordOf } from './loose.ts'

/** The cursor of each source. A missing source has no more results. */
export type SearchCursor = Readonly<Partial<Record<'official' | 'smithery', string>>>

const MAX_LENGTH = 4096

export function showCursor(cursor: SearchCursor): string | undefined {
  if (Object.keys(cursor).length === 0) return undefined
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

export function parseCursor(text: string): SearchCursor {
  const { official, smithery } = recordOf(readJson(text))
  const cursor = {
    ...(typeof official === 'string' ? { official } : {}),
    ...(typeof smithery === 'string' ? { smithery } : {}),
  }
  if (Object.keys(cursor).length === 0) throw badCursor()
  return cursor
}

function readJson(text: string): unknown {
  if (text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) throw badCursor()
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw badCursor()
  }
}
