/** Puts a server's elicitation to the person at the terminal. All of it is untrusted; no page is opened. */
import type { FieldValue, QuestionField } from '../../kernel/elicitation.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowQuestion } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import { askKey, createAnswers } from '../ask.ts'
import { printableLine } from '../output.ts'
import type { Terminal } from '../context.ts'

type Answer =
  | { readonly choice: 'decline' }
  | { readonly choice: 'accept'; readonly value: Readonly<Record<string, Json>> }

/** A value that does not fit is asked for again. */
export async function answerInput(
  terminal: Terminal,
  question: FlowQuestion,
  send: (answer: Answer) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  terminal.stderr.write(`${printableLine(question.text)}\n`)
  if (question.url !== undefined) terminal.stderr.write(`  ${printableLine(question.url)}\n`)
  const wish = question.url === undefined ? 'Answer it?' : 'Have you been there, and agree?'
  if (!(await askYesOrNo(terminal, wish, signal))) return await send({ choice: 'decline' })
  for (;;) {
    const value = await askFields(terminal, question.fields ?? [], signal)
    try {
      return await send({ choice: 'accept', value })
    } catch (error) {
      if (!isUnfit(error) || signal.aborted) throw error
      terminal.stderr.write(`${printableLine(error.message)}\n`)
    }
  }
}

function isUnfit(error: unknown): error is CordonError {
  return error instanceof CordonError && error.code === 'flows.unfit-answer'
}

async function askFields(
  terminal: Terminal,
  fields: readonly QuestionField[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, Json>>> {
  using answers = createAnswers(terminal, signal)
  const given: Record<string, Json> = {}
  for (const field of fields) {
    const label = `${field.title}${hintOf(field)}`
    const answer =
      field.kind === 'yes-no'
        ? await askYesOrNo(terminal, label, signal)
        : valueFor(field, await answers.next(label, false, signal))
    const isLeft = answer === '' && (!field.isRequired || field.default !== undefined)
    if (!isLeft) given[field.name] = answer
  }
  return given
}

function hintOf(field: QuestionField): string {
  const usual = field.default === undefined ? '' : ` [${showDefault(field.default)}]`
  const about = `${field.description === undefined ? '' : `: ${field.description}`}${usual}`
  if (field.kind !== 'choice' && field.kind !== 'choices') return about
  const options = field.options.map(({ value }) => value).join(', ')
  return `${about} (${field.kind === 'choices' ? 'some' : 'one'} of ${options})`
}

function showDefault(value: FieldValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? value.join(', ') : String(value)
}

/** The kernel refuses a value that does not fit. */
function valueFor(field: QuestionField, text: string): Json {
  if (text === '') return text // not 0, which `Number` would make of it
  if (field.kind === 'number') return Number(text)
  return field.kind === 'choices' ? text.split(',').map((word) => word.trim()) : text
}

const NO_OR_YES = [
  ['n', 'no'],
  ['y', 'yes'],
] as const

async function askYesOrNo(
  terminal: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  return (await askKey(terminal, question, NO_OR_YES, signal)) === 'y'
}
