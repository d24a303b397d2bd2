/** A model that fails, is spent or may not read something: the next one, or one honest sentence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCircuits } from '../../src/inference/circuits.ts'
import { openUsage } from '../../src/inference/open-usage.ts'
import type { FailedCall } from '../../src/kernel/call-failure.ts'
import type { ModelQuestion } from '../../src/ports/model-port.ts'
import { never } from '../../src/kernel/test-never.ts'
import {
  type ModelServerOptions,
  startModelServer,
} from '../fixtures/model-servers/start-model-server.ts'
import { levelMark } from '../fixtures/prompts/content-mark.ts'
import { modelsOf } from './models-at.ts'

const DOWN = { kind: 'status', status: 500 } as const
const QUESTION = { system: '', text: 'hi' }

async function twoServers(options: Partial<ModelServerOptions> = {}) {
  const stack = new AsyncDisposableStack()
  const first = stack.use(
    await startModelServer({ wire: 'anthropic', answers: ['first'], ...options }),
  )
  const second = stack.use(await startModelServer({ wire: 'openai', answers: ['second'] }))
  const table = {
    active: 'one',
    one: { provider: 'anthropic', url: first.url, model: 'm', local: true, fallback: ['two'] },
    two: { url: second.url, model: 'm', local: true },
  }
  return { first, second, table, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('three failures in a minute leave a profile alone for five; its fallback answers', async () => {
  await using at = await twoServers()
  const clock = { ms: Date.now() }
  const { models, lines } = modelsOf(at.table, { circuits: createCircuits(() => clock.ms) })
  const said = async () => {
    const answer = await models.ask(QUESTION, never)
    return answer.kind === 'said' ? answer.text : answer.reason
  }
  at.first.answers = [DOWN]
  for (const _ of [1, 2, 3, 4, 5]) assert.equal(await said(), 'second')
  assert.equal(at.first.prompts.length, 3)
  assert.equal(at.second.prompts.length, 5)
  assert.match(lines.join(), /did not answer.*"profile":"one".*"code":"call\.server-error"/)
  at.first.answers = ['first']
  assert.equal(await said(), 'second')
  clock.ms += 300_001
  assert.equal(await said(), 'first')
})

test('where no other model is left, the sentence says how long and what to type', async () => {
  await using server = await startModelServer({ wire: 'openai', answers: [DOWN] })
  const { models } = modelsOf({ only: { url: server.url, model: 'm', local: true } })
  for (const _ of [1, 2, 3]) await models.ask(QUESTION, never)
  const answer = await models.ask(QUESTION, never)
  assert.ok(answer.kind === 'failed')
  assert.match(
    answer.reason,
    /^The model profile "only" failed lately and is left alone for another/,
  )
  assert.match(answer.hint ?? '', /cordon profiles test only/)
  assert.equal(server.prompts.length, 3)
})

test('a wrong key, a refusal and an answer that does not fit are told, and no other model is asked', async () => {
  await using at = await twoServers()
  const { models } = modelsOf(at.table)
  const failing: readonly (readonly [typeof at.first.answers, object, RegExp])[] = [
    [[{ kind: 'status', status: 401 }], {}, /status 401/],
    [[{ kind: 'text', text: 'No', stop: 'refusal' }], {}, /refuses/],
    [['prose'], { schema: { type: 'object' } }, /does not fit, twice/],
  ]
  for (const [answers, question, reason] of failing) {
    at.first.answers = answers
    const answer = await models.ask({ ...QUESTION, ...question }, never)
    assert.match((answer as FailedCall).reason, reason)
  }
  assert.equal(at.second.prompts.length, 0)
})

test('after a first piece was shown, no second answer begins below it', async () => {
  await using at = await twoServers()
  at.first.answers = [{ kind: 'cut', text: 'half an answer, then nothing' }]
  const { models } = modelsOf(at.table)
  const shown: string[] = []
  const onPiece = (piece: string): void => void shown.push(piece)
  const answer = await models.ask({ ...QUESTION, onPiece }, never)
  assert.equal((answer as FailedCall).reason, 'The answer of the model broke off')
  assert.match(shown.join(''), /^half/)
  assert.equal(at.second.prompts.length, 0)
  assert.equal((await models.ask(QUESTION, never)).kind, 'said', 'without pieces it does')
})

test('a spent budget is refused with a sentence, also after a restart, and a fallback goes on', async () => {
  await using at = await twoServers()
  const rows = new Map<string, string>()
  const notes = {
    put: async (_kind: string, id: string, content: string) => void rows.set(id, content),
    list: async () => [...rows].map(([id, content]) => ({ id, content })),
  }
  const start = (table: object) => {
    const log = { info() {}, warn() {}, error() {} }
    return modelsOf(table, { usage: openUsage({ notes, log, now: Date.now }) }).models
  }
  at.first.answers = () => ({ kind: 'text', text: 'first', inputTokens: 90, outputTokens: 10 })
  const limited = { ...at.table, one: { ...at.table.one, budget_per_day: { tokens: 100 } } }
  const said = async (models: ReturnType<typeof start>, question: ModelQuestion = QUESTION) => {
    const answer = await models.ask(question, never)
    return answer.kind === 'said' ? answer.text : answer.reason
  }
  assert.equal(await said(start(limited)), 'first')
  const restarted = start(limited)
  assert.equal(await said(restarted), 'second')
  assert.equal(at.first.prompts.length, 1)
  const alone = { one: { ...limited.one, fallback: [] } }
  assert.equal(
    await said(start(alone)),
    'The budget of the model profile "one" for today is spent: 100 tokens',
  )
})

test('MODEL-2: what is above the clearance of a profile never reaches its server', async () => {
  await using at = await twoServers({ clearance: 'internal' })
  const table = { ...at.table, one: { ...at.table.one, clearance: 'internal', fallback: [] } }
  const { models } = modelsOf(table)
  const said = async (level: ModelQuestion['level'] & string, profile?: string) => {
    const text = level === 'secret' ? '' : levelMark(level)
    const question = { ...QUESTION, text, level, ...(profile !== undefined && { profile }) }
    const answer = await models.ask(question, never)
    return answer.kind === 'said' ? answer.text : answer.reason
  }
  assert.equal(await said('internal'), 'first')
  assert.equal(await said('sensitive'), 'second')
  assert.equal(await said('regulated'), 'second')
  assert.equal(await said('secret'), 'No model may read what is secret')
  assert.equal(await said('sensitive', 'one'), 'No model may read what is sensitive')
  assert.deepEqual([at.first.prompts.length, at.second.prompts.length], [1, 2])
})
