/** Puts a server's elicitation to the person at the terminal. All of it is untrusted; no page is opened. */
import type { Api } from '../../api/contract.ts'
import type { QuestionField } from '../../kernel/elicitation.ts'
import type { FlowQuestion } from '../../kernel/flow-port.ts'
import type { Json } from '../../text/json.ts'
import { askKey, createAnswers } from '../ask.ts'
import { printableLine } from '../output.ts'
import type { Terminal } from '../context.ts'

export async function answerInput(
  terminal: Terminal,
  api: Api,
  run: { readonly id: string; readonly question: FlowQuestion },
  signal: AbortSignal,
): Promise<void> {
  const { id, question } = run
  const asked = { id, question: question.id }
  terminal.stderr.write(`${printableLine(question.text)}\n`)
  if (question.url !== undefined) terminal.stderr.write(`  ${printableLine(question.url)}\n`)
  const wish = question.url === undefined ? 'Answer it?' : 'Have you been there, and agree?'
  if (!(await askYesOrNo(terminal, wish, signal))) {
    await api.call('flows.answer', { ...asked, choice: 'decline' }, signal)
    return
  }
  const value = await askFields(terminal, question.fields ?? [], signal)
  await api.call('flows.answer', { ...asked, choice: 'accept', value }, signal)
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
    if (answer !== '' || field.isRequired) given[field.name] = answer
  }
  return given
}

function hintOf(field: QuestionField): string {
  const about = field.description === undefined ? '' : `: ${field.description}`
  if (field.kind !== 'choice' && field.kind !== 'choices') return about
  const options = field.options.map(({ value }) => value).join(', ')
  return `${about} (${field.kind === 'choices' ? 'some' : 'one'} of ${options})`
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
