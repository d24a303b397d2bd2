/**
 * The result of a tool as text for people: text with its line breaks, a list of flat objects as a table, pictures and
 * files as one line with their kind and size (never their bytes), any other value as JSON. Pure.
 */
import { attachmentIn } from './attachments.ts'
import { showSize } from './show-count.ts'
import type { Json, JsonObject } from './json.ts'

const LONGEST_CELL = 60
const MOST_COLUMNS = 12
/** Names that say no more than that text follows. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set([
  'content',
  'message',
  'output',
  'result',
  'text',
])

/** A structured answer, and the content blocks that came beside it. */
export interface Answer {
  readonly value: Json
  readonly beside?: Json
}

/** `savedBy` says how the bytes of a picture or a file are had, as in `--out FILE saves it`. */
export function showAnswer({ value, beside }: Answer, savedBy: string): string {
  const shown = showResult(value, savedBy)
  return beside === undefined ? shown : `${shown}\n${showResult(beside, savedBy)}`
}

export function showResult(value: Json, savedBy: string): string {
  if (typeof value === 'string') return value
  const blocks = Array.isArray(value) ? value.map((block) => blockText(block as Json, savedBy)) : []
  if (blocks.length > 0 && blocks.every((text) => text !== undefined)) return blocks.join('\n')
  return (
    tableOf(value) ?? queryOf(value) ?? onlyMember(value) ?? JSON.stringify(value, withoutBytes, 2)
  )
}

/** A content block of MCP; undefined for any other value. */
function blockText(block: Json, savedBy: string): string | undefined {
  if (!isObject(block)) return undefined
  const attachment = attachmentIn(block)
  if (attachment) return `[${attachment.mimeType}, ${showSize(attachment.bytes)}; ${savedBy}]`
  const { type, text, resource } = block
  if (type === 'resource_link') return linkText(block)
  if (type === 'resource' && isObject(resource)) return textOf(resource['text'])
  return type === 'text' || type === undefined ? textOf(text) : undefined
}

function linkText({ uri, name }: JsonObject): string | undefined {
  if (typeof uri !== 'string') return undefined
  return typeof name === 'string' && name !== uri ? `${name}: ${uri}` : uri
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Bytes inside a value that is shown as JSON for another reason. */
function withoutBytes(_key: string, value: Json): Json {
  const attachment = attachmentIn(value)
  return attachment ? `[${attachment.mimeType}, ${showSize(attachment.bytes)}]` : value
}

/** `{"content": "…"}`: the one member says all. `{"id": "…"}` stays JSON, because there the name says something. */
function onlyMember(value: Json): string | undefined {
  const [first, ...others] = isObject(value) ? Object.entries(value) : []
  if (!first || others.length > 0) return undefined
  const [name, member] = first
  if (typeof member === 'string') return TEXT_MEMBERS.has(name) ? member : undefined
  if (!Array.isArray(member)) return undefined
  const isPlain = member.length > 0 && member.every((item) => typeof item === 'string')
  return isPlain ? member.join('\n') : tableOf(member)
}

/** `{"columns": ["a"], "rows": [{"a": 1}], "moreRows": true}`, as databases answer: a table, then each other member. */
function queryOf(value: Json): string | undefined {
  if (!isObject(value)) return undefined
  const { columns, rows, ...others } = value
  if (!isNames(columns) || !Array.isArray(rows)) return undefined
  if (!Object.values(others).every(fitsCell)) return undefined
  const table = rows.length === 0 ? `${columns.join('  ')}\n(no rows)` : tableOf(rows, columns)
  const lines = Object.entries(others).map(([name, member]) => `${name}: ${cellOf(member)}`)
  return table === undefined ? undefined : [table, ...lines].join('\n')
}

function isNames(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')
}

/** `columns`: their order; a name that is not among them comes after. */
function tableOf(value: Json, columns: readonly string[] = []): string | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFlat)) return undefined
  const rows = value as readonly JsonObject[]
  const heads = [...new Set([...columns, ...rows.flatMap((row) => Object.keys(row))])]
  if (heads.length === 0 || heads.length > MOST_COLUMNS) return undefined
  const cells = [heads, ...rows.map((row) => heads.map((head) => cellOf(row[head])))]
  const widths = heads.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
  return cells.map((row) => lineOf(row).trimEnd()).join('\n')
}

/** An object whose members all fit into a cell. */
function isFlat(row: unknown): boolean {
  return isObject(row) && Object.values(row).every(fitsCell)
}

function fitsCell(cell: Json): boolean {
  if (typeof cell === 'object') return cell === null
  const text = String(cell)
  return text.length <= LONGEST_CELL && !/[\t\n]/.test(text)
}

function cellOf(cell: Json | undefined): string {
  return typeof cell === 'object' || cell === undefined ? '' : String(cell)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
