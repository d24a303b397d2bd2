/**
 * Questions that a server asks its owner during a call of a run (MCP elicitation): the run is `asking` until the owner
 * answers. Kept in memory only, since a question does not outlive its call, nor a call its process. A process that
 * resumes the run repeats a harmless call, or asks the owner whether to; then the server asks again.
 */
import { randomUUID } from 'node:crypto'
import type { Elicit, Question, QuestionAnswer, QuestionField } from '../../kernel/elicitation.ts'
import { fitsField } from '../../text/fits-field.ts'
import type { FlowQuestion } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { holdsKnownToken } from '../../text/looks-secret.ts'
import { flowError, shown } from '../flow-errors.ts'
import { isObject } from '../language/value-type.ts'

const CHOICES = ['accept', 'decline', 'cancel'] as const

interface Caller {
  readonly run: string
  readonly node: string
  readonly server: ServerId
  /** Notifies the followers of the run. */
  readonly tell: (question: FlowQuestion) => void
  /** Runs `work` while only a person is waited for, so that the run does not count against the concurrency limit. */
  readonly waiting?: <T>(work: () => Promise<T>) => Promise<T>
  /** The caller cannot answer. It is listed all the same, so that its questions are not put to another run. */
  readonly isUnattended?: boolean
}

export interface InputQueue {
  /** While `work` lasts, questions of the caller's server are put to the caller's run. */
  during<T>(caller: Caller, work: () => Promise<T>): Promise<T>
  readonly elicit: Elicit
  /** The question that is open for the run, if any. */
  question(run: string): FlowQuestion | undefined
  /** False if the run has no open question with this id. Throws if the answer does not fit. */
  answer(run: string, id: string, choice: string, value: Json | undefined): boolean
}

interface Open {
  readonly run: string
  readonly question: FlowQuestion
  readonly settle: (answer: QuestionAnswer) => void
}

export function createInputQueue(): InputQueue {
  const callers = new Set<Caller>()
  const open = new Map<string, Open>()
  return {
    async during(caller, work) {
      callers.add(caller)
      try {
        return await work()
      } finally {
        callers.delete(caller)
      }
    },
    async elicit(server, asked, signal) {
      const runs = [...callers].filter((one) => one.server === server)
      const [caller] = runs
      // If several runs call the server, the host cannot tell which of them the question is about.
      if (!caller || caller.isUnattended === true || new Set(runs.map(({ run }) => run)).size > 1)
        return undefined
      const question = questionFor(caller, asked)
      const { promise, resolve } = Promise.withResolvers<QuestionAnswer>()
      signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
      open.set(question.id, { run: caller.run, question, settle: resolve })
      caller.tell(question)
      const answered = promise.finally(() => open.delete(question.id))
      return await (caller.waiting?.(() => answered) ?? answered)
    },
    question: (run) => [...open.values()].find((one) => one.run === run)?.question,
    answer(run, id, choice, value) {
      const found = open.get(id)
      if (found?.run !== run) return false
      found.settle(answerFrom(found.question, choice, value))
      return true
    },
  }
}

function questionFor({ node, server }: Caller, asked: Question): FlowQuestion {
  return {
    id: randomUUID(),
    kind: 'input',
    node,
    text: `${server} asks: ${asked.message}`,
    server,
    choices: CHOICES,
    ...(asked.kind === 'form' ? { fields: asked.fields } : { url: asked.url }),
  }
}

function answerFrom(
  { fields }: FlowQuestion,
  choice: string,
  value: Json | undefined,
): QuestionAnswer {
  const action = CHOICES.find((one) => one === choice)
  if (action === undefined) throw unfit(`choose one of ${CHOICES.join(', ')}`)
  if (action !== 'accept') return { action }
  return fields ? { action, content: contentFor(fields, value ?? {}) } : { action }
}

type Content = NonNullable<Extract<QuestionAnswer, { readonly action: 'accept' }>['content']>

/** Exactly the requested fields, a missing one with its default; any other field is refused. */
function contentFor(fields: readonly QuestionField[], value: Json): Content {
  if (!isObject(value)) throw unfit('give one JSON object with the fields that are asked for')
  const known = new Set(fields.map(({ name }) => name))
  const odd = Object.keys(value).find((name) => !known.has(name))
  if (odd !== undefined) throw unfit(`${shown(odd)} was not asked for`)
  const entries = fields.flatMap((field) => {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : field.default
    if (given === undefined && !field.isRequired) return []
    if (given === undefined) throw unfit(`${shown(field.name)} is missing`)
    if (!fitsField(field, given))
      throw unfit(`${shown(field.name)} does not fit what was asked for`)
    if ([given].flat().some((one) => typeof one === 'string' && holdsKnownToken(one)))
      throw unfit(`${shown(field.name)} looks like a credential, so it was not sent`)
    return [[field.name, given] as const]
  })
  return Object.fromEntries(entries)
}

function unfit(why: string): Error {
  return flowError(
    'flows.unfit-answer',
    `Cannot take that as an answer: ${why}`,
    'Run `cordon flow show RUN` to see what is asked for',
  )
}
