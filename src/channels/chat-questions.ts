/**
 * Questions of a server in a chat (MCP elicitation): put when they come, answered field by field with `answer VALUE`, or
 * with `decline`. Any other message leaves the question open and is never sent to the server.
 */
import type { Api } from '../api/contract.ts'
import { pausePoll } from '../api/long-poll.ts'
import type { QuestionField } from '../kernel/elicitation.ts'
import { CordonError } from '../kernel/error.ts'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { Json } from '../text/json.ts'

export type QuestionsApi = Api<'mcp.question' | 'mcp.answer'>

interface Open {
  readonly callId: string
  readonly question: FlowQuestion
  readonly given: Readonly<Record<string, Json>>
  /** The fields that were not answered yet, in order. */
  readonly left: readonly QuestionField[]
}

export interface ChatQuestions {
  /** The next question of this call as text, from then on open; undefined once `over` aborts. */
  next(callId: string, over: AbortSignal): Promise<string | undefined>
  /** Text to show; `sent` if the server has its answer; undefined if the message is no answer. */
  answer(text: string): Promise<string | { readonly sent: true } | undefined>
}

export function createChatQuestions(api: QuestionsApi): ChatQuestions {
  let open: Open | undefined
  const send = async (
    { callId, question }: Open,
    answer: { choice: 'accept' | 'decline'; value?: Readonly<Record<string, Json>> },
  ): Promise<{ readonly sent: true }> => {
    await api.call('mcp.answer', { callId, question: question.id, ...answer })
    open = undefined
    return { sent: true }
  }
  const accept = async (whole: Open): Promise<string | { readonly sent: true }> => {
    try {
      return await send(whole, { choice: 'accept', value: whole.given })
    } catch (error) {
      if (!(error instanceof CordonError) || error.code !== 'flows.unfit-answer') throw error
      open = { ...whole, given: {}, left: whole.question.fields ?? [] }
      return `${error.message}. Once more: ${ask(open)}`
    }
  }
  return {
    async next(callId, over) {
      const question = await follow(api, callId, over)
      if (!question) return undefined
      open = { callId, question, given: {}, left: question.fields ?? [] }
      return put(open)
    },
    async answer(text) {
      const [, word = '', value = ''] = /^(answer|decline)(?:\s+(.*))?$/is.exec(text.trim()) ?? []
      if (!open || word === '') return undefined
      if (word.toLowerCase() === 'decline') return await send(open, { choice: 'decline' })
      open = take(open, value)
      return open.left.length > 0 ? ask(open) : await accept(open)
    },
  }
}

async function follow(
  api: QuestionsApi,
  callId: string,
  over: AbortSignal,
): Promise<FlowQuestion | undefined> {
  while (!over.aborted) {
    const { question } = await api.call('mcp.question', { callId }, over)
    if (question) return question
    await pausePoll(over)
  }
  return undefined
}

function put(open: Open): string {
  const { text, url } = open.question
  if (url === undefined) return `${text}\n${ask(open)}`
  return `${text}\n  ${url}\nVisit it yourself, then type \`answer\`; or \`decline\`.`
}

function ask({ left: [field] }: Open): string {
  if (!field) return 'Type `answer` to agree; or `decline`.'
  const about = field.description === undefined ? '' : `: ${field.description}`
  const skip =
    field.default !== undefined || !field.isRequired ? ', `answer` alone to leave it' : ''
  return `${field.title}${about}${optionsIn(field)}. Type \`answer VALUE\`${skip}; or \`decline\`.`
}

function optionsIn(field: QuestionField): string {
  if (field.kind === 'yes-no') return ' (yes or no)'
  if (field.kind !== 'choice' && field.kind !== 'choices') return ''
  const options = field.options.map(({ value }) => value).join(', ')
  return field.kind === 'choice' ? ` (one of ${options})` : ` (some of ${options})`
}

/** The kernel refuses a value that does not fit. */
function take(open: Open, text: string): Open {
  const [field, ...left] = open.left
  if (!field) return open
  const value = text.trim()
  const given = value === '' ? open.given : { ...open.given, [field.name]: valueFor(field, value) }
  return { ...open, given, left }
}

function valueFor({ kind }: QuestionField, text: string): Json {
  if (kind === 'number') return Number(text)
  if (kind === 'yes-no') return YES.test(text) ? true : NO.test(text) ? false : text
  return kind === 'choices' ? text.split(',').map((word) => word.trim()) : text
}

const YES = /^(?:y|yes|true)$/i
const NO = /^(?:n|no|false)$/i
