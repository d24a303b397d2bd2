/**
 * A question that a run puts to its owner in a chat: a form or a page that a server asks for (MCP elicitation), or whether
 * a call happened. Fields are answered one after the other, each by a message. Every word of a server is marked as its
 * own. A text with the shape of a credential is never an answer. Pure.
 */
import type { QuestionField } from '../kernel/elicitation.ts'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { Json } from '../text/json.ts'
import { holdsKnownToken } from '../text/looks-secret.ts'
import { quoted } from './synthesize.ts'

export interface ServerQuestion {
  readonly question: FlowQuestion
  /** The name of the server whose call it is. */
  readonly server: string
  readonly given: Readonly<Record<string, Json>>
  /** The fields that were not answered yet, in order. */
  readonly left: readonly QuestionField[]
}

export type TakenAnswer =
  | {
      readonly kind: 'send'
      readonly choice: string
      readonly value?: Readonly<Record<string, Json>>
    }
  /** There is more to ask; or the message cannot be the answer, for the reason in the text. */
  | { readonly kind: 'ask'; readonly open: ServerQuestion; readonly text: string }

export function openQuestion(question: FlowQuestion, server: string): ServerQuestion {
  return { question, server, given: {}, left: question.fields ?? [] }
}

export function showQuestion(open: ServerQuestion): string {
  const { question, server } = open
  const { kind, text, url } = question
  if (kind !== 'input') return text
  const message = text.replace(/^\S+ asks: /, '')
  const page = url === undefined ? '' : `\n${url}`
  return `${server} asks you:\n${quoted(`${message}${page}`)}\n${showField(open)}`
}

function showField({ question, left: [field] }: ServerQuestion): string {
  if (!field) {
    const visit = question.url === undefined ? '' : 'Cordon does not open it. '
    return `${visit}Type \`yes\` to agree, \`no\` to decline.`
  }
  const about = field.description === undefined ? '' : `: ${field.description}`
  const mayBeLeft = field.default !== undefined || !field.isRequired
  const skip = mayBeLeft ? ', `skip` to leave it' : ''
  const refuse = field.kind === 'yes-no' ? '`cancel`' : '`no`'
  return `${quoted(`${field.title}${about}${optionsIn(field)}`)}\nYour next message is sent as the answer${skip}; ${refuse} to decline.`
}

function optionsIn(field: QuestionField): string {
  if (field.kind === 'yes-no') return ' (yes or no)'
  if (field.kind !== 'choice' && field.kind !== 'choices') return ''
  const options = field.options.map(({ value }) => value).join(', ')
  return field.kind === 'choice' ? ` (one of ${options})` : ` (some of ${options})`
}

const DECLINES = /^(?:cancel|decline)$/i
const YES = /^(?:y|yes|true)$/i
const NO = /^(?:n|no|false)$/i

/** Undefined if the message is no answer to it. `answer VALUE` is the answer VALUE, also if that is a word of the chat. */
export function takeAnswer(open: ServerQuestion, message: string): TakenAnswer | undefined {
  const { question, left } = open
  const said = message.trim()
  if (question.kind !== 'input') {
    const choice = question.choices.find((one) => one === said.toLowerCase())
    return choice === undefined ? undefined : { kind: 'send', choice }
  }
  const [field] = left
  if (DECLINES.test(said)) return { kind: 'send', choice: 'decline' }
  if (!field) return agreed(said)
  if (NO.test(said) && field.kind !== 'yes-no') return { kind: 'send', choice: 'decline' }
  return holdsKnownToken(said) ? refused(open) : withField(open, field, said)
}

function agreed(said: string): TakenAnswer | undefined {
  if (NO.test(said)) return { kind: 'send', choice: 'decline' }
  return YES.test(said) || /^(?:answer|done)$/i.test(said)
    ? { kind: 'send', choice: 'accept' }
    : undefined
}

function refused(open: ServerQuestion): TakenAnswer {
  const text = `That looks like a credential, so it was not sent. ${showQuestion(open)}`
  return { kind: 'ask', open, text }
}

function withField(open: ServerQuestion, field: QuestionField, said: string): TakenAnswer {
  const value = said.replace(/^answer(?:\s+|$)/i, '')
  const isLeft = value === '' || (/^skip$/i.test(said) && isOptional(field))
  const given = isLeft ? open.given : { ...open.given, [field.name]: valueFor(field, value) }
  const next = { ...open, given, left: open.left.slice(1) }
  if (next.left.length === 0) return { kind: 'send', choice: 'accept', value: given }
  return { kind: 'ask', open: next, text: showField(next) }
}

function isOptional({ isRequired, default: usual }: QuestionField): boolean {
  return !isRequired || usual !== undefined
}

/** Whether the value fits is decided where the answer is taken. */
function valueFor({ kind }: QuestionField, text: string): Json {
  if (kind === 'number') return Number(text)
  if (kind === 'yes-no') return YES.test(text) ? true : NO.test(text) ? false : text
  return kind === 'choices' ? text.split(',').map((word) => word.trim()) : text
}
