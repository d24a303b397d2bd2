/** Prints a flow in its canonical spelling. Parsing the printed text gives the same flow again. */
import { shellWord } from '../../text/shell-word.ts'
import type { Exit, Flag, FlowText, Statement, Step } from './flow-text.ts'

/** One statement per line. */
export function printFlow(flow: Pick<FlowText, 'statements'>): string {
  return flow.statements.map(printStatement).join('\n')
}

/** The command line that runs the flow after `program`, quoted for a shell. */
export function printCommand(
  flow: Pick<FlowText, 'statements'>,
  program: string = 'cordon',
): string {
  return `${program} ${shellWord(printFlow(flow))}`
}

function printStatement(steps: Statement): string {
  return steps.map(printStep).join(' >> ')
}

function printStep({ name, version, id, flags, exit }: Step): string {
  const head = version === undefined ? name : `${name}@${version}`
  const alias = id === undefined ? [] : ['as', printWord(id)]
  return [printWord(head), ...alias, ...flags.map(printFlag), ...printExit(exit)].join(' ')
}

function printFlag({ key, value }: Flag): string {
  return value === undefined ? `--${key}` : `--${key}=${printWord(value)}`
}

function printExit(exit: Exit | undefined): readonly string[] {
  if (exit === undefined) return []
  return ['-', `"${exit.action}"`, ...(exit.max === undefined ? [] : ['max', String(exit.max)])]
}

const PLAIN = /^[\w@%+:,./${}[\]-]+$/
const KEYWORDS: ReadonlySet<string> = new Set(['then', 'mcp'])

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
