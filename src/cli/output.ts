/** Writes answers: data to standard output (one JSON value with `--json`), everything else to standard error. */
import { styleText } from 'node:util'
import type { Terminal } from './surface.ts'

type Style = Parameters<typeof styleText>[0]

export interface Output {
  readonly json: boolean
  /** The command's answer: `data` for programs, `lines` for people. */
  answer(data: unknown, lines: () => readonly string[]): void
  /** Progress and warnings; never part of the answer. */
  note(line: string): void
  /** Colour, where the terminal has it and nobody asked for none. */
  paint(style: Style, text: string): string
}

export function createOutput(terminal: Terminal, json: boolean): Output {
  return {
    json,
    answer(data, lines) {
      const text = json ? JSON.stringify(data) : lines().join('\n')
      if (text) terminal.stdout.write(`${text}\n`)
    },
    note(line) {
      terminal.stderr.write(`${line}\n`)
    },
    paint(style, text) {
      return styleText(style, text, { stream: terminal.stdout })
    },
  }
}

/** Columns as wide as their widest cell. Cells may carry colour. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, width(cell))
    })
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd(),
  )
}

// oxlint-disable-next-line no-control-regex -- colour sequences start with the escape character
const COLOUR = /\u001b\[[0-9;]*m/g

function width(cell: string): number {
  return cell.replace(COLOUR, '').length
}

/** Foreign text for a terminal: control characters are shown, not obeyed. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are exactly the characters to show
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
