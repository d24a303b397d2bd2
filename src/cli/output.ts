/**
 * Writes answers: data to standard output (one JSON value with `--json`), everything else to standard error. Never
 * writes a control character from a text, whoever wrote it.
 */
import { styleText } from 'node:util'
import { alignColumns } from '../text/align-columns.ts'
import { printable } from '../text/untrusted-text.ts'
import type { Terminal } from './context.ts'

type Style = Parameters<typeof styleText>[0]

export interface Output {
  readonly json: boolean
  /** The command's answer: `data` for programs, `lines` for people. */
  answer(data: unknown, lines: () => readonly string[]): void
  /** Progress and warnings; never part of the answer. */
  note(line: string): void
  /** Colours the text, unless the terminal has no colours or they are switched off. */
  paint(style: Style, text: string): string
}

export function createOutput(terminal: Terminal, json: boolean): Output {
  return {
    json,
    answer(data, lines) {
      const text = json ? showJson(data) : lines().map(obeyingColours).join('\n')
      if (text) terminal.stdout.write(`${text}\n`)
    },
    note(line) {
      terminal.stderr.write(`${printable(line)}\n`)
    },
    paint(style, text) {
      return styleText(style, text, { stream: terminal.stdout })
    },
  }
}

/** Columns as wide as their widest cell. Cells may carry colour. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  return alignColumns(rows, width)
}

/** The sequences that `paint` writes: a colour, bold, dim, and the end of each. None of them hides text. */
// oxlint-disable-next-line no-control-regex -- colour sequences start with the escape character
const COLOUR = /\u001b\[(?:[0-2]|22|3[0-79]|9[0-7])m/g

function width(cell: string): number {
  return cell.replace(COLOUR, '').length
}

/** For untrusted text inside a line or a table cell: no control character, no line break. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, (character) => (character === '\n' ? '\\n' : '\\t'))
}

/** The beginning of an untrusted text, on one line; what is left out is marked. */
export function cut(text: string, length: number): string {
  const line = printableLine(text.trim().replaceAll(/\s+/g, ' '))
  return line.length > length ? `${line.slice(0, length - 1).trimEnd()}…` : line
}

/** Lets only colour sequences through; every other control character is spelled out. */
function obeyingColours(line: string): string {
  let shown = ''
  let at = 0
  for (const { 0: colour, index } of line.matchAll(COLOUR)) {
    shown += printable(line.slice(at, index)) + colour
    at = index + colour.length
  }
  return shown + printable(line.slice(at))
}

/** JSON.stringify leaves some characters that a terminal obeys. As `\u` escapes they mean the same to a program. */
export function showJson(data: unknown): string {
  return JSON.stringify(data).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
