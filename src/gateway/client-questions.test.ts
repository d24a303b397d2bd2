import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import { never } from '../kernel/test-never.ts'
import type { CallResult } from '../kernel/tool-call.ts'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { ClientLink } from './client-link.ts'
import { ClientQuestions, type InputPort, type More } from './client-questions.ts'
import { type ClientSession, createSession, raiseLabel, saidBy } from './client-session.ts'
import type { Exchange } from './handle-request.ts'
import type { RpcRequest } from './rpc-message.ts'

const CLIENT = { name: 'claude', taint: 'ask', createdAt: '' } as const
const tool = { server: parseServerId('evil'), name: 'ask' }
const QUESTION: FlowQuestion = {
  id: 'q1',
  kind: 'input',
  node: 'ask',
  text: 'Your name?',
  choices: ['accept', 'decline', 'cancel'],
}
const ANSWER = { action: 'accept', content: { name: 'text of the mail' } }
const DONE: CallResult = { kind: 'failed', reason: 'done' }

/** Each call asks one question, and ends with the answer to it or with its cancellation. */
function house() {
  const answers: (readonly [string, Json | undefined])[] = []
  const open = new Map<string, () => void>()
  const input: InputPort = {
    async during(caller, work) {
      const answered = Promise.withResolvers<void>()
      open.set(caller.run, answered.resolve)
      setImmediate(() => caller.tell())
      await Promise.race([answered.promise, work()])
      open.delete(caller.run)
      return DONE as never
    },
    question: (run) => (open.has(run) ? QUESTION : undefined),
    answer(run, _id, choice, value) {
      answers.push([choice, value])
      open.get(run)?.()
      return true
    },
  }
  const revoked = new AbortController()
  const questions = new ClientQuestions({ input, clients: { revoked: () => revoked.signal } })
  return { questions, answers, revoked }
}

/** Goes on until it is cancelled. */
function untilAborted(signal: AbortSignal): Promise<CallResult> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(DONE))
    if (signal.aborted) resolve(DONE)
  })
}

const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

function modern(session: ClientSession, more: JsonObject = {}, signal = never): Exchange {
  const params = { _meta, name: 'evil__ask', ...more }
  const request: RpcRequest = { kind: 'request', id: 1, method: 'tools/call', params }
  return { session, request, link: new ClientLink(), era: 'modern', signal }
}

const asked = (exchange: Exchange, callId = 'c1') => ({ callId, tool, request: exchange.request })

function stateIn(result: CallResult | More): string {
  const state = result.kind === 'more' && result.result['requestState']
  return typeof state === 'string' ? state : assert.fail('it does not wait')
}

async function park(questions: ClientQuestions, session: ClientSession, callId = 'c1') {
  const signals: AbortSignal[] = []
  const exchange = modern(session)
  const result = await questions.run(asked(exchange, callId), exchange, (signal) => {
    signals.push(signal)
    return untilAborted(signal)
  })
  return { state: stateIn(result), signal: signals[0] ?? assert.fail('it did not begin') }
}

function resume(questions: ClientQuestions, session: ClientSession, requestState: string) {
  const exchange = modern(session, { requestState, inputResponses: { question: ANSWER } })
  return questions.run(asked(exchange, 'later'), exchange, () => assert.fail('it has begun before'))
}

test('GATE-6: an answer of a client that has read other servers meanwhile goes to no server', async () => {
  const clean = house()
  const session = createSession(CLIENT)
  await resume(clean.questions, session, (await park(clean.questions, session)).state)
  assert.deepEqual(clean.answers, [['accept', ANSWER.content]])

  const { questions, answers } = house()
  const reader = createSession(CLIENT)
  const { state } = await park(questions, reader)
  raiseLabel(reader, saidBy('mail'))
  await resume(questions, reader, state)
  assert.deepEqual(answers, [['cancel', undefined]])
})

test('GATE-6: in the legacy era as well, while its user thinks', async () => {
  for (const reads of [false, true]) {
    const { questions, answers } = house()
    const session = createSession(CLIENT)
    const link = new ClientLink()
    link.capabilities = { elicitation: {} }
    const notify = ({ id }: JsonObject): void => {
      if (reads) raiseLabel(session, saidBy('mail'))
      link.answered({ kind: 'response', id: id as string, result: ANSWER })
    }
    const exchange: Exchange = { ...modern(session), link, era: 'legacy', notify }
    await questions.run(asked(exchange), exchange, untilAborted)
    assert.deepEqual(answers, [reads ? ['cancel', undefined] : ['accept', ANSWER.content]])
  }
})

test('GATE-2: the text of a question has been read', async () => {
  const { questions } = house()
  const session = createSession(CLIENT)
  await park(questions, session)
  assert.deepEqual([session.label.integrity, ...session.label.origins], ['external', 'evil'])
})

test('GATE-2: no other session takes the result of a call that waits, which would not raise its label', async () => {
  const { questions, answers } = house()
  const session = createSession(CLIENT)
  const { state } = await park(questions, session)
  await assert.rejects(resume(questions, createSession(CLIENT), state), /does not wait/)
  assert.deepEqual(answers, [])
  await resume(questions, session, state)
  assert.equal(answers.length, 1)
})

test('a client with too many calls that wait loses its own oldest one', async () => {
  const { questions } = house()
  const other = createSession({ ...CLIENT, name: 'cursor' })
  const first = await park(questions, other, 'first')
  const calls = []
  for (let count = 0; count <= 100; count += 1) {
    calls.push(await park(questions, createSession(CLIENT), `c${count}`))
  }
  assert.deepEqual(
    calls.flatMap(({ signal }, at) => (signal.aborted ? [at] : [])),
    [0],
  )
  assert.equal(first.signal.aborted, false)
})

test('CLIENT-1: a call that waits for its client is cancelled when that is removed, or its connection ends', async () => {
  const { questions, revoked } = house()
  const session = createSession(CLIENT)
  const { state, signal } = await park(questions, session)
  revoked.abort()
  assert.ok(signal.aborted)
  await assert.rejects(resume(questions, session, state), /does not wait/)

  const left = house()
  const exchange = modern(createSession(CLIENT))
  const signals: AbortSignal[] = []
  await left.questions.run(asked(exchange), exchange, (one) => {
    signals.push(one)
    return untilAborted(one)
  })
  exchange.link.close()
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
  )
})

test('a call that its client has left already is told so before it begins', async () => {
  const { questions } = house()
  const exchange = modern(createSession(CLIENT), {}, AbortSignal.abort())
  let wasAborted: boolean | undefined
  await questions.run(asked(exchange), exchange, async (signal) => {
    wasAborted = signal.aborted
    await nextTurn()
    return DONE
  })
  assert.equal(wasAborted, true)
})
