/** Prints a flow in its canonical spelling. Parsing the printed text gives the same flow again. */
import { shellWord } from '../../text/shell-word.ts'
import type {
  Clauses,
  EachClause,
  Exit,
  Flag,
  FlowText,
  InputLine,
  RetryClause,
  Statement,
  Step,
  WhenClause,
} from './flow-text.ts'

/** One statement per line, after the inputs. */
export function printFlow({ statements, inputs = [] }: PrintedFlow): string {
  return [...inputs.map(printInput), ...statements.map(printStatement)].join('\n')
}

type PrintedFlow = Pick<FlowText, 'statements'> & Partial<Pick<FlowText, 'inputs'>>

/** The command line that runs the flow after `program`, quoted for a shell. */
export function printCommand(flow: PrintedFlow, program: string = 'cordon'): string {
  return `${program} ${shellWord(printFlow(flow))}`
}

function printStatement(steps: Statement): string {
  return steps.map(printStep).join(' >> ')
}

function printInput(input: InputLine): string {
  const { name, type, description } = input
  const { default: value } = input
  const isText = typeof value === 'string'
  return [
    'input',
    printWord(name),
    ...(type === 'any' ? [] : [`--type=${printWord(type)}`]),
    ...(value === undefined
      ? []
      : [`--default=${printWord(isText ? value : JSON.stringify(value))}`]),
    ...(description === undefined ? [] : [`--description=${printWord(description)}`]),
    ...(input.isOptional ? ['--optional'] : []),
    ...(input.isPiped ? ['--stdin'] : []),
  ].join(' ')
}

function printClauses({ each, when, retry }: Clauses): readonly string[] {
  return [...(each ? printEach(each) : []), ...(when ? printWhen(when) : []), ...printRetry(retry)]
}

function printEach({ as, items, max, parallel, goesOn }: EachClause): readonly string[] {
  const list = printWord(typeof items === 'string' ? items : JSON.stringify(items))
  const limit = max === undefined ? [] : ['max', String(max)]
  const atOnce = parallel === undefined ? [] : ['parallel', String(parallel)]
  return ['for', printWord(as), 'in', list, ...limit, ...atOnce, ...(goesOn ? ['continue'] : [])]
}

/** Text that looks like a number is quoted: only so it stays text. */
function printWhen({ left, op, right }: WhenClause): readonly string[] {
  if (op === undefined) return ['when', printWord(left)]
  if (op === 'exists') return ['when', printWord(left), op]
  const value = typeof right === 'string' ? quotedWord(right) : JSON.stringify(right)
  return ['when', printWord(left), op, value]
}

function quotedWord(text: string): string {
  const isPlain = !text.startsWith('-') && !/^(?:[\d.]+|true|false|null)$/.test(text)
  return isPlain || /["\\\s']/.test(text) ? printWord(text) : `"${text}"`
}

function printRetry(retry: RetryClause | undefined): readonly string[] {
  if (!retry) return []
  const { times, wait } = retry
  return ['retry', String(times), ...(wait === undefined ? [] : ['wait', String(wait)])]
}

function printStep(step: Step): string {
  const { name, version, id, flags, exit } = step
  const head = version === undefined ? name : `${name}@${version}`
  const alias = id === undefined ? [] : ['as', printWord(id)]
  const words = [printWord(head), ...alias, ...printClauses(step)]
  return [...words, ...flags.map(printFlag), ...printExit(exit)].join(' ')
}

function printFlag({ key, value }: Flag): string {
  return value === undefined ? `--${key}` : `--${key}=${printWord(value)}`
}

function printExit(exit: Exit | undefined): readonly string[] {
  if (exit === undefined) return []
  return ['-', `"${exit.action}"`, ...(exit.max === undefined ? [] : ['max', String(exit.max)])]
}

const PLAIN = /^[\w@%+:,./${}[\]-]+$/
const KEYWORDS: ReadonlySet<string> = new Set(['then', 'mcp', 'input', 'for', 'when', 'retry'])

/** Unquoted if that is safe, otherwise in double quotes: inside a shell's single quotes these need no escape. */
export function printWord(text: string): string {
  if (PLAIN.test(text) && !KEYWORDS.has(text)) return text
  const single = /["\\]/.test(text) && !/['\n\r\t]/.test(text)
  return single ? `'${text}'` : `"${text.replace(/["\\\n\r\t]/g, escapeOf)}"`
}

function escapeOf(character: string): string {
  return ESCAPES.get(character) ?? `\\${character}`
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
])
