/** Finds the line of a key in a TOML text, for messages. Returns undefined rather than a wrong line. */
import { parseDocument } from '@decimalturn/toml-patch'

type KeyPath = readonly PropertyKey[]

/** The line of the key, or of its nearest ancestor in the text. */
export function lineOfKey(text: string, key: KeyPath): number | undefined {
  const matches = placesIn(text).filter(({ path }) => isPrefix(path, key))
  return matches.sort((a, b) => b.path.length - a.path.length)[0]?.line
}

interface Place {
  readonly path: readonly string[]
  readonly line: number
}

function placesIn(text: string): readonly Place[] {
  try {
    return parseDocument(text).cst.flatMap((block): Place[] => {
      if (!('key' in block)) return [] // a comment
      if ('value' in block) return [{ path: block.key.value, line: block.loc.start.line }]
      const section = block.key.item.value
      const rows = block.items.flatMap((row) =>
        'key' in row ? [{ path: [...section, ...row.key.value], line: row.loc.start.line }] : [],
      )
      return [{ path: section, line: block.loc.start.line }, ...rows]
    })
  } catch {
    return []
  }
}

function isPrefix(path: readonly string[], key: KeyPath): boolean {
  return path.length <= key.length && path.every((part, index) => part === String(key[index]))
}
