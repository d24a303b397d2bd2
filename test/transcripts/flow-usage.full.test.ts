/** A flow that asks models says what they used: when it ends, in `flow show`, in the chat, and after `kill -9`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'
import { startModelServer } from '../fixtures/model-servers/start-model-server.ts'
import { until } from '../fixtures/until.ts'

type Trace = Output<'flows.show'>

const FLOW = 'llm --prompt "Name an animal" >> summarize-text --text "${response}"'
const answer = (text: string, inputTokens: number, outputTokens: number) =>
  ({ kind: 'text', text, inputTokens, outputTokens }) as const
const SUM = { models: ['tiny-1'], inputTokens: 50, outputTokens: 5, cost: 0 }
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/

async function openWithModel(answers: Parameters<typeof startModelServer>[0]['answers']) {
  const server = await startModelServer({ wire: 'openai', answers })
  const cordon = openCordon()
  await cordon.ask(['profiles', 'add', 'tiny', '--url', server.url, '--model', 'tiny-1'])
  return { server, cordon }
}

test('the sum is told after the result, kept with the run, and told in the chat', async () => {
  const { server, cordon } = await openWithModel([answer('zebra', 40, 2), answer('A horse', 10, 3)])
  await using _closed = server
  await using _ended = cordon
  const ran = await cordon.run(['run', '--no-cache', FLOW])
  assert.equal(ran.stdout, 'A horse\n', ran.stderr)
  assert.match(ran.stderr, /cordon: tiny-1 · 55 tokens · \$0\n/)
  const { runs } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs'])
  assert.deepEqual(runs[0]?.usage, SUM)
  const id = runs[0].id
  const shown = (await cordon.run(['flow', 'show', id])).stdout
  assert.match(shown, /^models +tiny-1 · 55 tokens · \$0$/m)
  assert.match(shown, /^ {2}llm: done, .*tiny-1 · 42 tokens · \$0$/m)
  await cordon.run(['down'])
  assert.equal((await cordon.run(['flow', 'show', id])).stdout, shown)
  await cordon.ask(['flow', 'save', 'beast', FLOW])
  server.answers = (prompt) =>
    /Name an animal/.test(prompt.text) ? answer('cow', 1, 1) : answer('Moo', 2, 2)
  const told = await cordon.ask<{ usage: object }>(['ask', 'run beast'])
  assert.deepEqual(told.usage, { models: ['tiny-1'], inputTokens: 5, outputTokens: 5, cost: 0 })
})

test('a step that ended before a kill -9 is counted once, and one that failed is counted too', async () => {
  const { server, cordon } = await openWithModel([answer('zebra', 40, 2), { kind: 'silent' }])
  await using _closed = server
  await using _ended = cordon
  const { pid } = await cordon.ask<{ pid: number }>(['up', '--detach'])
  const running = cordon.start(['run', '--no-cache', FLOW])
  running.stdin?.end()
  await until(() => server.prompts.length === 2)
  process.kill(pid, 'SIGKILL')
  running.kill('SIGKILL')
  server.answers = [answer('A horse', 10, 3)]
  const { runs } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs'])
  const id = ID.exec(runs[0]?.id ?? '')?.[0] ?? ''
  const trace = () => cordon.ask<Trace>(['flow', 'show', id])
  await until(async () => (await trace()).state === 'completed')
  assert.deepEqual((await trace()).usage, SUM)
  assert.equal(server.prompts.length, 3, 'the first question is not asked again')
  server.answers = [answer('no fields', 7, 1)]
  const schema = '{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}'
  const failed = await cordon.run(['run', `extract --input "x" --schema '${schema}'`])
  assert.equal(failed.code, 5)
  assert.match(failed.stderr, /cordon: tiny-1 · 16 tokens · \$0\n/, 'asked twice, for nothing')
})
