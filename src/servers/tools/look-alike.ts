/**
 * Tools of one server whose names can be taken for each other: by case, width, punctuation, look-alike letters or
 * characters that cannot be seen. The earlier one keeps its name; the later one says whose it resembles. Pure.
 */
import { seenText } from '../../text/untrusted-text.ts'
import { eyeName } from '../../kernel/fold-name.ts'

/** Each later name to the earlier one it can be taken for. */
export function lookAlikes(names: readonly string[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  const alike = new Map<string, string>()
  for (const name of names) {
    const folded = foldToolName(name)
    const earlier = first.get(folded)
    if (earlier === undefined) first.set(folded, name)
    else if (earlier !== name) alike.set(name, earlier)
  }
  return alike
}

/** How a name looks, rather than how it is spelled. */
export function foldToolName(name: string): string {
  // A name without a letter or digit folds to nothing, and is then only like itself.
  return eyeName(seenText(name)) || name
}
