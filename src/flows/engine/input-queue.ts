/**
 * Questions that a server asks its owner during a call of a run (MCP elicitation): the run is `asking` until the owner
 * answers. Kept in memory only, since a question does not outlive its call, nor a call its process. A process that
 * resumes the run repeats a harmless call, or asks the owner whether to; then the server asks again. Questions of one run
 * are put one at a time; those of different runs never wait for each other's answers.
 */
import { randomUUID } from 'node:crypto'
import type {
  AskerOf,
  AskingCalls,
  Elicit,
  Question,
  QuestionAnswer,
  QuestionField,
} from '../../kernel/elicitation.ts'
import { BriefMap } from '../../text/brief-map.ts'
import { fitsField } from '../../text/fits-field.ts'
import type { FlowQuestion } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { holdsKnownToken } from '../../text/looks-secret.ts'
import { createSerialQueue, type SerialQueue } from '../../text/serial-queue.ts'
import { flowError, shown } from '../flow-errors.ts'
import { isObject } from '../language/value-type.ts'

const CHOICES = ['accept', 'decline', 'cancel'] as const

/** How long a question waits that may belong to calls of several askers; then its server is told `cancel`. */
const UNTOLD_MS = 10_000
/** An open question keeps this long, however many others wait for it to end. */
const FAIR_MS = 60_000

interface Caller {
  readonly run: string
  /** Of the call at the server. */
  readonly callId: string
  /** The person or program that answers. The calls of one asker need not be told apart. Absent: the run has one of its own. */
  readonly asker?: string
  readonly node: string
  readonly server: ServerId
  /** Notifies the followers of the run. */
  readonly tell: (question: FlowQuestion) => void
  /** Runs `work` while only a person is waited for, so that the run does not count against the concurrency limit. */
  readonly waiting?: <T>(work: () => Promise<T>, question: FlowQuestion) => Promise<T>
  /** The caller cannot answer. It is listed all the same, so that its questions are not put to another run. */
  readonly isUnattended?: boolean
}

export interface InputQueue {
  /** While `work` lasts, questions of the caller's call are put to the caller's run. */
  during<T>(caller: Caller, work: () => Promise<T>): Promise<T>
  readonly elicit: Elicit
  readonly askerOf: AskerOf
  /** The question that is open for the run, if any. */
  question(run: string): FlowQuestion | undefined
  /** False if the run has no open question with this id. Throws if the answer does not fit. */
  answer(run: string, id: string, choice: string, value: Json | undefined): boolean
}

interface Open {
  readonly caller: Caller
  readonly since: number
  readonly question: FlowQuestion
  readonly settle: (answer: QuestionAnswer) => void
}

export function createInputQueue(now: () => number = Date.now): InputQueue {
  const callers = new BriefMap<string, Caller>()
  const turns = new Map<string, SerialQueue>()
  const open = new Map<string, Open>()
  const asked = new Set<Caller>()
  const put = async (caller: Caller, what: Question, signal: AbortSignal) => {
    if (signal.aborted) return { action: 'cancel' } as const
    const question = questionFor(caller, what)
    const { promise, resolve } = Promise.withResolvers<QuestionAnswer>()
    signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true })
    open.set(question.id, { caller, since: now(), question, settle: resolve })
    caller.tell(question)
    const answered = promise.finally(() => open.delete(question.id))
    return await (caller.waiting?.(() => answered, question) ?? answered)
  }
  return {
    async during(caller, work) {
      callers.set(caller.callId, caller)
      try {
        return await work()
      } finally {
        callers.delete(caller.callId)
        if (!callers.values().some(({ run }) => run === caller.run)) turns.delete(caller.run)
      }
    },
    async elicit(_server, what, calls, signal) {
      const caller = await callerOf(calls, { callers, open, asked, now }, signal)
      if (!caller) return undefined
      const inTurn = turns.get(caller.run) ?? createSerialQueue()
      turns.set(caller.run, inTurn)
      return await inTurn(() => put(caller, what, signal)).finally(() => asked.delete(caller))
    },
    askerOf(callId) {
      const caller = callers.get(callId)
      return caller && answererOf(caller)
    },
    question: (run) => [...open.values()].find(({ caller }) => caller.run === run)?.question,
    answer(run, id, choice, value) {
      const found = open.get(id)
      if (found?.caller.run !== run) return false
      found.settle(answerFrom(found.question, choice, value))
      return true
    },
  }
}

interface Known {
  readonly callers: BriefMap<string, Caller>
  readonly open: ReadonlyMap<string, Open>
  /** Callers that a question was chosen for, perhaps in this very moment. */
  readonly asked: Set<Caller>
  readonly now: () => number
}

/**
 * The caller that a question is put to. A question that may belong to calls of several askers is put to none of them: it
 * waits a moment for the server to answer the others.
 */
async function callerOf(
  calls: AskingCalls,
  known: Known,
  signal: AbortSignal,
): Promise<Caller | undefined> {
  const { promise: isOver, resolve: end } = Promise.withResolvers<'over'>()
  const timer = setTimeout(() => end('over'), UNTOLD_MS)
  signal.addEventListener('abort', () => end('over'), { once: true })
  try {
    for (;;) {
      const ids = calls.open() ?? []
      const found = ids.map((id) => known.callers.get(id))
      const [first] = found
      const isLeft = first && calls.left().some((asker) => asker !== answererOf(first))
      if (isLeft === true) return undefined
      if (found.every((one) => one && first && isSameAsker(one, first))) return freest(found, known)
      if (ids.length < 2) return undefined
      endOverdue(found, known)
      if ((await Promise.race([calls.changed(), isOver])) === 'over') return undefined
    }
  } finally {
    clearTimeout(timer)
  }
}

function answererOf({ asker, run }: Caller): unknown {
  return asker ?? run
}

function isSameAsker(one: Caller, other: Caller): boolean {
  return one.run === other.run || (one.asker !== undefined && one.asker === other.asker)
}

/** Of the calls of one asker: one that can be asked, and is not being asked already. */
function freest(found: readonly (Caller | undefined)[], { asked }: Known): Caller | undefined {
  const able = found.filter((one): one is Caller => one !== undefined && !one.isUnattended)
  const free = able.find((one) => !asked.has(one)) ?? able[0]
  if (free) asked.add(free)
  return free
}

/** A person who left a question open keeps others from theirs no longer. */
function endOverdue(found: readonly (Caller | undefined)[], { open, now }: Known): void {
  for (const { caller, since, settle } of open.values()) {
    if (found.includes(caller) && now() - since >= FAIR_MS) settle({ action: 'cancel' })
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

/** Throws if the answer does not fit. */
export function answerFrom(
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
