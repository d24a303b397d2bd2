/**
 * One argument as lines: its value with untrusted text between ‹ and ›, and its provenance. No text in a value can end
 * its line, draw a mark or move the cursor. Pure.
 */
import type { DrawnLine, DrawnPiece, Tone } from '../../kernel/approval-port.ts'
import { printable } from '../../text/untrusted-text.ts'
import { isTrusted } from '../../labels/label.ts'
import { domainsIn, oddities } from './odd-addresses.ts'
import { chipFor } from './chip-for.ts'
import { type Leaf, type Piece, piecesOf } from './value-leaves.ts'

/** A longer text is cut unless the full view is requested. */
export const BRIEF_TEXT = 500
const ONE_LINE = 60

/** Sanitised text: escapes line breaks, tabs and control characters, so that the text stays on its line. */
export function piece(text: string, tone: Tone = 'plain'): DrawnPiece {
  return { text: printable(text).replace(/[\n\t]/g, (one) => (one === '\n' ? '\\n' : '\\t')), tone }
}

interface LeafOptions {
  readonly full: boolean
  /** The argument is not mere content: it decides to whom, where or how much. */
  readonly steers: boolean
}

export function drawLeaf(leaf: Leaf, { full, steers }: LeafOptions): readonly DrawnLine[] {
  const pieces = full ? piecesOf(leaf) : cut(piecesOf(leaf))
  const chip = piece(chipsFor(leaf).join('; '), 'quiet')
  const name = piece(`    ${leaf.path}: `)
  const rows = toRows(pieces, leaf.isText)
  const isShort = rows.length === 1 && leaf.text.length <= ONE_LINE
  const value: readonly DrawnLine[] = isShort
    ? [[name, ...(rows[0] ?? []), piece('  ('), chip, piece(')')]]
    : [[name, piece('('), chip, piece(')')], ...rows.map((row) => [piece('      │ '), ...row])]
  const hidden = leaf.text.length - BRIEF_TEXT
  const rest = `      … and ${hidden} more characters that are not shown here`
  return [
    ...value,
    ...(full || hidden <= 0 ? [] : [[piece(rest, 'warning')]]),
    ...remarks(leaf, steers),
  ]
}

function remarks({ text, isText }: Leaf, steers: boolean): readonly DrawnLine[] {
  if (!isText) return []
  const domains = steers ? domainsIn(text).map((domain) => `goes to whoever has ${domain}`) : []
  return [
    ...domains.map((line) => [piece(`      → ${line}`)]),
    ...oddities(text, steers).map((line) => [piece(`      ! ${line}`, 'warning')]),
  ]
}

/** Each source once, in order. */
function chipsFor(leaf: Leaf): readonly string[] {
  const found = piecesOf(leaf)
  const pieces: readonly Omit<Piece, 'text'>[] = found.length > 0 ? found : [leaf.tree]
  return [...new Set(pieces.map(({ label, from }) => chipFor(label, from)))]
}

function cut(pieces: readonly Piece[]): readonly Piece[] {
  let left = BRIEF_TEXT
  return pieces.flatMap((one) => {
    const text = one.text.slice(0, left).toWellFormed()
    left -= text.length
    return text ? [{ ...one, text }] : []
  })
}

/** Line by line; untrusted text is marked on every line, so that no line can pass for the owner's. */
function toRows(pieces: readonly Piece[], isText: boolean): readonly DrawnLine[] {
  const rows: DrawnPiece[][] = [[]]
  for (const { text, label } of pieces) {
    const isOwn = isTrusted(label)
    text.split('\n').forEach((line, at) => {
      if (at > 0) rows.push([])
      if (line)
        rows.at(-1)?.push(isOwn ? piece(spell(line)) : piece(`‹${spell(line)}›`, 'external'))
    })
  }
  if (!isText || pieces.length > 0) return rows
  return [[piece('(empty)', 'quiet')]]
}

/** Escapes ‹ and › in values: only Cordon draws these marks. */
function spell(text: string): string {
  return text.replace(/[‹›]/g, (mark) => (mark === '‹' ? '\\u2039' : '\\u203a'))
}
