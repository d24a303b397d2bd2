/** The named groups of a pattern in a text, as a function that gives '' for an absent one. Pure. */
export function groupsIn(pattern: RegExp, text: string): ((name: string) => string) | undefined {
  const found = pattern.exec(text)
  return found ? (name) => found.groups?.[name] ?? '' : undefined
}
