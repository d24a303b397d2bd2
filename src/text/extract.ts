/**
 * Splits a message into the owner's own words and the texts that were pasted or quoted into it. A pasted text may come
 * from anybody, so it leaves the words: a handle takes its place, and no planner reads it. Pure.
 */

export interface Extracted {
  /** One line. A pasted text is named by its handle: `remember $paste1`. */
  readonly words: string
  readonly pastes: readonly string[]
}

/** Characters. A longer line is taken for a pasted one. */
const LONGEST_TYPED = 2000
const FENCED = /^[ \t]*(```+|~~~+)[^\n]*\n([\s\S]*?)(?:\n[ \t]*\1[ \t]*$|$(?![\s\S]))/gm
const QUOTED = /^[ \t]*>.*(?:\n[ \t]*>.*)*/gm

export function extract(text: string): Extracted {
  const pastes: string[] = []
  const put = (pasted: string): string => {
    pastes.push(pasted)
    return ` $paste${pastes.length} `
  }
  const withoutBlocks = text
    .replaceAll('\r\n', '\n')
    .replace(FENCED, (_all, _fence, inside: string) => put(inside))
    .replace(QUOTED, (all) => put(all.replace(/^[ \t]*> ?/gm, '')))
    .trim()
  const [first = '', ...rest] = withoutBlocks.split('\n')
  const after = rest.join('\n').trim()
  const isPasted = first.length > LONGEST_TYPED
  const begin = isPasted ? put(withoutBlocks) : first
  // Of a message with several lines, only the first is taken for typed; lines that name handles alone stay.
  const more = isPasted || after === '' ? '' : isOnlyHandles(after) ? after : put(after)
  return { words: `${begin} ${more}`.replace(/\s+/g, ' ').trim(), pastes }
}

function isOnlyHandles(text: string): boolean {
  return /^(?:\s*\$paste\d+\s*)+$/.test(text)
}
