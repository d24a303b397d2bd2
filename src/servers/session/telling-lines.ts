/**
 * Which of a server's last lines say why it ended. Most print the reason first, and then a usage text, a list or the fields
 * of an error, behind which the last lines alone tell nothing. Pure; the lines are untrusted and stay what they are.
 */
const MOST = 5
/** `Error: …`, `TypeError: …`, `[error] …`, `Fatal …`, perhaps behind a time or a sign. */
const ERROR = /^[^a-z]{0,40}(?:\[?\b(?:[a-z]*error|fatal|failed|missing|invalid|cannot|unable)\b)/i
/** A problem in a printed list, as schema checkers write it. */
const LISTED = /^\s*"?message"?: (?<text>["'`].+["'`]),?$/
/** A compiled module of a package: `…/node_modules/sqlite3/build/Release/node_sqlite3.node`. */
const COMPILED = /node_modules\/(?<part>(?:@[\w.-]+\/)?[\w.-]+)\/[^\s'"]*\.node\b/

export function tellingLines(lines: readonly string[]): readonly string[] {
  const listed = lines.flatMap((line) => LISTED.exec(line)?.groups?.['text'] ?? [])
  if (listed.length > 0) return [...new Set(listed)].slice(0, MOST)
  const at = lines.findLastIndex((line) => ERROR.test(line))
  return at === -1 ? lines.slice(-MOST) : lines.slice(at, at + MOST)
}

/** The package whose compiled module was not found: an install script, which did not run, would have made it. */
export function unbuiltPart(lines: readonly string[]): string | undefined {
  const isSought = lines.some((line) =>
    /bindings file|cannot find module|no native build/i.test(line),
  )
  if (!isSought) return undefined
  return lines.flatMap((line) => COMPILED.exec(line)?.groups?.['part'] ?? []).at(-1)
}
