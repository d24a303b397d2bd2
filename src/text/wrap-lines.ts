/**
 * Breaks long lines between words, for a terminal, which would break them anywhere. A line of others' words (`│ `) goes on
 * as one: no row of it can pass for a line of Cordon's own. A word that is longer than a row is left whole. Pure.
 */

const INDENT = /^(?:│ ?|\s+)?/
const LEAST = 20

/** `columns`: of the terminal; undefined or few: the text stays as it is. */
export function wrapLines(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < LEAST) return text
  return text
    .split('\n')
    .flatMap((line) => (widthOf(line) <= columns ? [line] : wrapLine(line, columns)))
    .join('\n')
}

function wrapLine(line: string, columns: number): readonly string[] {
  const [indent] = INDENT.exec(line) ?? ['']
  const rows: string[] = []
  let row = indent
  let isEmpty = true
  for (const [part] of line.slice(indent.length).matchAll(/\s*\S+/g)) {
    if (!isEmpty && widthOf(row) + widthOf(part) > columns) {
      rows.push(row)
      row = indent + part.trimStart()
    } else row += part
    isEmpty = false
  }
  return [...rows, row]
}

/** At most: a character beyond ASCII may take two columns, except for those that Cordon draws with. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += character <= '~' || NARROW.has(character) ? 1 : 2
  return width
}

const NARROW = new Set('│…’‘“”›✓✗–·')
