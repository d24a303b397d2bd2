/**
 * Parses a flow from one text (a quoted command, a `*.flow` file) or from arguments that a shell has split.
 *
 *   flow      = (input | statement) (line (input | statement))*
 *   statement = step (join step)*                  join = ">>" | "|>" | "then"
 *   step      = name ["as" id] clause* flag* clause* [exit]
 *   exit      = "-" action ["max" number]
 *   name      = ["ns/"] word ["@" version] | "mcp" server tool
 *   flag      = "--key" | "--key=value" | "--key value"
 *
 * Clauses and inputs: see `parse-clauses.ts` and `parse-input.ts`. A statement continues on the next line after a join
 * at the end of a line, or if that line starts with a join, a flag, a clause or an exit. Returns the first problem or a flow; never throws, whatever the text.
 */
import { argvTokens } from './argv-tokens.ts'
import { createCursor, type Cursor } from './cursor.ts'
import type { Flag, FlowText, InputLine, Statement, Step } from './flow-text.ts'
import { readClauses } from './parse-clauses.ts'
import { readExit } from './parse-exit.ts'
import { readFlags } from './parse-flags.ts'
import { isInput, readInput } from './parse-input.ts'
import { readStepName } from './read-step-name.ts'
import { type GrammarProblem, problemIn, Refusal } from './problem.ts'
import { type Token, tokensOf } from './tokens.ts'

export type FlowResult =
  | { readonly kind: 'flow'; readonly flow: FlowText }
  | { readonly kind: 'problem'; readonly problem: GrammarProblem }

/** Far longer than a flow written by hand. */
const MAX_LENGTH = 1_000_000

/** A single argument holds the whole flow: `cordon 'a --k v >> b'`. */
export function parseFlow(source: string | readonly string[]): FlowResult {
  const words = typeof source === 'string' ? [source] : source
  const whole = words.length === 1 ? words[0] : undefined
  const { shown, tokens } = whole === undefined ? argvTokens(words) : { shown: whole }
  try {
    checkText(shown)
    return { kind: 'flow', flow: { shown, ...readLines(tokens ?? tokensOf(shown)) } }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { kind: 'problem', problem: problemIn(shown, error.complaint) }
  }
}

function checkText(text: string): void {
  if (text.length > MAX_LENGTH) {
    throw new Refusal({
      at: MAX_LENGTH,
      code: 'flows.too-long',
      message: `Cannot read a flow of more than ${MAX_LENGTH} characters`,
      hint: 'Give long content by a file or by standard input instead of writing it into the flow',
    })
  }
  if (text.isWellFormed()) return
  throw new Refusal({
    at: text.search(/\p{Cs}/u),
    code: 'flows.bad-character',
    message: 'Cannot read half a character',
    hint: 'Save the text as UTF-8, then try again',
  })
}

function readLines(tokens: readonly Token[]): Pick<FlowText, 'statements' | 'inputs'> {
  const cursor = createCursor(tokens)
  const statements: Statement[] = []
  const inputs: InputLine[] = []
  cursor.skipLine()
  while (cursor.peek() !== undefined) {
    if (isInput(cursor)) inputs.push(readInput(cursor))
    else statements.push(readStatement(cursor))
    cursor.skipLine()
  }
  if (statements.length > 0) return { statements, inputs }
  throw new Refusal({
    at: 0,
    code: 'flows.empty',
    message: 'Cannot run a flow without a node',
    hint: 'Name a node; `cordon registry list` shows them all',
  })
}

function readStatement(cursor: Cursor): Statement {
  const steps: Step[] = []
  do {
    steps.push(readStep(cursor))
  } while (takeJoin(cursor, steps))
  return steps
}

function readStep(cursor: Cursor): Step {
  const name = readStepName(cursor)
  const before = readClauses(cursor)
  const flags = readFlags(cursor)
  const clauses = readClauses(cursor, before)
  const exit = readExit(cursor)
  return { ...name, ...clauses, flags, ...(exit && { exit }) }
}

/** Whether another step follows; the join may be at the end of a line or at the start of the next. */
function takeJoin(cursor: Cursor, steps: readonly Step[]): boolean {
  const join = cursor.peekPastLine()
  if (join?.kind === 'join') {
    cursor.skipLine()
    cursor.take()
    cursor.skipLine()
    if (cursor.peek()?.kind === 'word') return true
    throw new Refusal({
      at: join.at,
      code: 'flows.dangling',
      message: 'Cannot find a node after this',
      hint: 'Name the node that follows, or remove the sign',
    })
  }
  const stray = cursor.peek()
  if (stray?.kind === 'word') throw strayWord(stray.at, stray.text, steps.at(-1))
  return false
}

function strayWord(at: number, text: string, step: Step | undefined): Refusal {
  const hint = strayHint(text, step?.flags.at(-1))
  return new Refusal({ at, code: 'flows.stray-word', message: 'Cannot place this word', hint })
}

function strayHint(text: string, before: Flag | undefined): string {
  if (text === 'as') return 'Put "as NAME" right after the name of the node'
  return before?.value === undefined
    ? 'Give values by flags (--key VALUE), and join nodes with ">>"'
    : `Put quotes around a value of several words: --${before.key} "…"`
}
