/**
 * Parses and writes TOML. smol-toml parses; toml-patch edits and keeps comments and layout. Every written text is
 * parsed again and compared with the intended table. An error never quotes the file, which may hold a token.
 */
import { isDeepStrictEqual } from 'node:util'
import { patch } from '@decimalturn/toml-patch'
import { parse, stringify, TomlError } from 'smol-toml'
import { CordonError } from '../kernel/error.ts'

export type TomlTable = Readonly<Record<string, unknown>>

export type TomlReading =
  | { readonly kind: 'table'; readonly table: TomlTable }
  | { readonly kind: 'mistake'; readonly line: number; readonly message: string }

export function readToml(text: string): TomlReading {
  try {
    const table = parse(text, { unsafeKeyBehaviour: 'throw', maxDepth: 50 })
    return { kind: 'table', table: plain(table) as TomlTable }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The first line names the syntax rule; the lines after it quote the file, so they are dropped.
    const rule = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? ''
    const message = `not valid TOML at column ${error.column}: ${rule}`
    return { kind: 'mistake', line: error.line, message }
  }
}

export function renderToml(table: TomlTable): string {
  const text = stringify(table)
  if (says(text, table)) return text
  throw unsayable()
}

/** A text that parses to `intended` and keeps the comments and layout of `text` for unchanged parts. */
export function editToml(text: string, intended: TomlTable): string {
  const reading = readToml(text)
  if (reading.kind === 'mistake') return renderToml(intended)
  const { edited, added } = splitNewTables(reading.table, intended)
  // A new table cannot have its own header if its parent is an inline table; then the second way applies.
  const ways = [
    () => appendSections(patchKeepingLists(text, edited), added),
    () => patchKeepingLists(text, intended),
  ]
  for (const way of ways) {
    const candidate = way()
    if (says(candidate, intended)) return candidate
  }
  throw unsayable()
}

export function isTable(value: unknown): value is TomlTable {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  )
}

interface Split {
  readonly edited: TomlTable
  /** Tables that are new, nested under their parents. */
  readonly added: TomlTable
}

function splitNewTables(current: TomlTable, intended: TomlTable): Split {
  const edited: Record<string, unknown> = {}
  const added: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(intended)) {
    const present = Object.hasOwn(current, key) ? current[key] : undefined
    if (!isTable(value) || (present !== undefined && !isTable(present))) edited[key] = value
    else if (present === undefined) added[key] = value
    else {
      const inside = splitNewTables(present, value)
      edited[key] = inside.edited
      if (Object.keys(inside.added).length > 0) added[key] = inside.added
    }
  }
  return { edited, added }
}

/** Appends new tables as separate text, so that each gets its `[header]`. */
function appendSections(text: string, sections: TomlTable): string {
  if (Object.keys(sections).length === 0) return text
  return [text.trimEnd(), stringify(sections)].filter((part) => part !== '').join('\n\n')
}

/** toml-patch drops the comment beside an empty list, so this mark fills empty lists while it runs. */
const MARK = 'cordon: an empty list'
const MARKED_LIST = new RegExp(`\\[\\s*"${MARK}"\\s*\\]`, 'g')

function patchKeepingLists(text: string, intended: TomlTable): string {
  const marked = text.replace(/^([^\n=#]+=[ \t]*)\[[ \t]*\]/gm, `$1["${MARK}"]`)
  return patch(marked, markEmpty(intended), { trailingComma: false }).replace(MARKED_LIST, '[]')
}

function markEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [MARK] : value
  return isTable(value) ? mapTable(value, markEmpty) : value
}

function says(text: string, intended: TomlTable): boolean {
  const reading = readToml(text)
  return reading.kind === 'table' && isDeepStrictEqual(reading.table, plain(intended))
}

function unsayable(): CordonError {
  return new CordonError(
    'servers.toml-edit',
    { exit: 1, hint: 'Edit the file by hand; Cordon accepts hand edits' },
    'Cannot write the definition: its text would not say what was meant',
  )
}

/** Copies tables without the parser's prototypes, so that `isDeepStrictEqual` compares only their content. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return isTable(value) ? mapTable(value, plain) : value
}

function mapTable(table: TomlTable, change: (value: unknown) => unknown): TomlTable {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]))
}
