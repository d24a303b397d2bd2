/** Questions to models as both providers speak: whole, in pieces, by a schema; and everything that is no answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelAnswer, ModelQuestion } from '../../src/ports/model-port.ts'
import { never } from '../../src/kernel/test-never.ts'
import type { ScriptedAnswer } from '../fixtures/model-servers/scripted-answer.ts'
import { type ModelServer, startModelServer } from '../fixtures/model-servers/start-model-server.ts'
import { until } from '../fixtures/until.ts'
import { KEY, modelsOf } from './models-at.ts'

const WIRES = ['anthropic', 'openai'] as const
const QUESTION = { system: 'Count', text: 'my private words' }
const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
} as const

function profileAt(provider: (typeof WIRES)[number], url: string, changes: object = {}): object {
  return {
    provider,
    url,
    model: 'claude-3-haiku-20240307',
    key: 'vault:k',
    local: true,
    ...changes,
  }
}

async function ask(
  wire: (typeof WIRES)[number],
  answers: readonly ScriptedAnswer[],
  question: Partial<ModelQuestion> = {},
  changes: object = {},
): Promise<{ answer: ModelAnswer; server: ModelServer; lines: readonly string[] }> {
  await using server = await startModelServer({ wire, answers, key: KEY })
  const { models, lines } = modelsOf({ default: profileAt(wire, server.url, changes) })
  const answer = await models.ask({ ...QUESTION, ...question }, never)
  await until(() => server.open === 0)
  return { answer, server, lines }
}

async function reasonOf(...asked: Parameters<typeof ask>): Promise<string> {
  const { answer } = await ask(...asked)
  assert.ok(answer.kind === 'failed')
  return answer.reason
}

for (const wire of WIRES) {
  test(`MODEL-1: ${wire}: an answer comes in pieces, with what it used, without the key`, async () => {
    const pieces: string[] = []
    const onPiece = (piece: string): void => void pieces.push(piece)
    const said = `Your key is ${KEY}, and that is all there is to say`
    const { answer, server, lines } = await ask(wire, [said], { onPiece, level: 'internal' })
    assert.ok(answer.kind === 'said')
    assert.equal(answer.text, said.replace(KEY, '[redacted]'))
    assert.ok(pieces.length > 2)
    assert.equal(pieces.join(''), answer.text)
    assert.equal(answer.usage.outputTokens, 12)
    assert.equal(server.prompts[0]?.key, KEY)
    // The log has metadata only.
    assert.match(lines.join(), /"profile":"default".*"outputTokens":12.*"level":"internal"/)
    assert.doesNotMatch(lines.join(), /private|Count|that is all|sk-a/)
  })

  test(`${wire}: an answer by a schema is checked, and repaired once with what is wrong`, async () => {
    const good = await ask(wire, ['{"n":1}'], { schema: SCHEMA })
    assert.ok(good.answer.kind === 'said')
    assert.deepEqual(good.answer.value, { n: 1 })
    assert.equal(good.server.prompts[0]?.schema === undefined, false)
    const repaired = await ask(wire, ['{"n":"x"}', '{"n":2}'], { schema: SCHEMA })
    assert.ok(repaired.answer.kind === 'said')
    assert.deepEqual(repaired.answer.value, { n: 2 })
    assert.equal(repaired.answer.usage.outputTokens, 2, 'both answers are counted')
    assert.match(repaired.server.prompts[1]?.body ?? '', /n breaks the rule \\"type\\"/)
    const prose = await ask(wire, ['Sure! I will'], { schema: SCHEMA })
    assert.ok(prose.answer.kind === 'failed')
    assert.equal(
      prose.answer.reason,
      'The answer of the model does not fit, twice: it is not one JSON value',
    )
    assert.equal(prose.server.prompts.length, 2)
    const cutJson = await reasonOf(wire, ['{"n":', '{"n":1'], { schema: SCHEMA })
    assert.match(cutJson, /does not fit, twice/)
    const further = await reasonOf(wire, ['{"n":1}'], { schema: SCHEMA, misfit: () => 'n is 1' })
    assert.match(further, /twice: n is 1/)
  })

  test(`${wire}: whatever is no answer is one honest sentence, and nothing hangs`, async () => {
    const refused = await reasonOf(wire, [{ kind: 'text', text: 'No', stop: 'refusal' }])
    assert.equal(refused, 'The model refuses to answer this')
    const short = await reasonOf(wire, [{ kind: 'text', text: 'I', stop: 'length' }])
    assert.equal(short, 'The answer of the model was cut off')
    assert.equal(await reasonOf(wire, ['']), 'The model answered with nothing')
    const broken = 'The answer of the model broke off'
    assert.equal(await reasonOf(wire, [{ kind: 'cut', text: 'half an answer' }]), broken)
    const large = 'The answer of the model is too large'
    assert.equal(await reasonOf(wire, ['x'.repeat(1_000_000)]), large)
    const few = { max_output_tokens: 100 }
    assert.equal(await reasonOf(wire, [{ kind: 'endless', text: 'and on ' }], {}, few), large)
    for (const body of ['<html>', '{}', 'data: {"choices":\n\n', 'event: x\ndata: [\n\n']) {
      const type = 'text/event-stream'
      const odd = await reasonOf(wire, [{ kind: 'body', body, type }])
      assert.match(odd, /form that is not known/, body)
    }
  })

  test(`${wire}: 429 and 529 are tried again after a short time, and not before a long one`, async () => {
    for (const status of [429, 529]) {
      const wait = (seconds: string): ScriptedAnswer => ({
        kind: 'status',
        status,
        headers: { 'retry-after': seconds },
      })
      const again = await ask(wire, [wait('0'), 'now'])
      assert.equal(again.answer.kind === 'said' && again.answer.text, 'now')
      const long = await ask(wire, [wait('99999')])
      assert.ok(long.answer.kind === 'failed')
      assert.equal(long.answer.retryAfterSeconds, 99_999)
      assert.equal(long.server.prompts.length, 1)
    }
  })
}

test('a model that is silent, or too slow, is given up after its time', async () => {
  const slow = { kind: 'text', text: 'x'.repeat(200), pieceMs: 300 } as const
  const reasons = await Promise.all([
    reasonOf('anthropic', [{ kind: 'silent' }], {}, { timeout_seconds: 1 }),
    reasonOf('openai', [slow], {}, { timeout_seconds: 1 }),
  ])
  for (const reason of reasons) assert.equal(reason, 'The model did not answer within 1 s')
})

test('an aborted question ends at once, with the caller’s reason', async () => {
  await using server = await startModelServer({ wire: 'anthropic', answers: [{ kind: 'silent' }] })
  const { models } = modelsOf({ default: profileAt('anthropic', server.url) })
  const mine = new AbortController()
  const asking = models.ask(QUESTION, mine.signal)
  await until(() => server.prompts.length === 1)
  mine.abort(new Error('enough'))
  await assert.rejects(asking, /enough/)
  await until(() => server.open === 0)
})
