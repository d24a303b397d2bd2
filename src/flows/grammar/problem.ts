/** A problem in a flow text with its position: line, column, and an excerpt with a caret under it. Pure. */
import { CordonError } from '../../kernel/error.ts'
import type { Problem } from '../../text/problem.ts'

export interface GrammarProblem extends Problem {
  /** Line and column count from 1, in characters. */
  readonly line: number
  readonly column: number
  /** Two lines: the text around the position, and a caret. */
  readonly excerpt: string
}

/** A problem with an offset only; `problemIn` adds line and excerpt from the text. */
export interface Complaint extends Problem {
  readonly at: number
}

/** Thrown by the parser to give up. Never leaves this folder: `parseFlow` turns it into a problem. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly complaint: Complaint

  constructor(complaint: Complaint) {
    super(complaint.message)
    this.complaint = complaint
  }
}

export function problemIn(text: string, { at, code, message, hint }: Complaint): GrammarProblem {
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  return {
    code,
    message,
    hint,
    line: countLines(before),
    column: countCharacters(before.slice(lineStart)) + 1,
    excerpt: excerptOf(text, lineStart, at),
  }
}

/** The problem as an error for people. */
export function grammarError(problem: GrammarProblem): CordonError {
  const { code, hint, message, line, column, excerpt } = problem
  const place = `line ${line}, column ${column}`
  return new CordonError(code, { exit: 2, hint }, `${message} (${place})\n${excerpt}`)
}

/** A "did you mean" hint: the similar names, or the command `look` that lists all names. */
export function hintToward(near: readonly string[], look: string): string {
  return near.length === 0 ? `Run ${look}` : `Write ${near.join(' or ')}, or run ${look}`
}

/** How many characters of the excerpt are on each side of the position. */
const REACH = 36

function excerptOf(text: string, lineStart: number, at: number): string {
  const lineEnd = text.indexOf('\n', at)
  const from = Math.max(lineStart, at - REACH)
  const to = Math.min(lineEnd < 0 ? text.length : lineEnd, at + REACH)
  const left = (from > lineStart ? '…' : '') + tame(text.slice(from, at))
  const right = tame(text.slice(at, to)) + (to < (lineEnd < 0 ? text.length : lineEnd) ? '…' : '')
  return `  ${left}${right.trimEnd()}\n  ${' '.repeat(countCharacters(left))}^`
}

/** Replaces each character by exactly one, so that the caret stays in its column. */
function tame(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '·')
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

function countCharacters(text: string): number {
  return Array.from(text).length
}
