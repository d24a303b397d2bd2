/**
 * A chat with a scripted model: its answer appears while it is written, Ctrl-C stops it, and one dim line says what the
 * turn used. Nothing of that comes twice, and a dumb terminal or a pipe gets whole answers.
 */
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import type { ScriptedAnswer } from '../fixtures/model-servers/scripted-answer.ts'
import { type ModelServer, startModelServer } from '../fixtures/model-servers/start-model-server.ts'
import { until } from '../fixtures/until.ts'
import { openCommand } from './open-command.ts'
import type { Terminal } from './terminal.ts'

const cordon = openCordon()
let server: ModelServer

before(async () => {
  server = await startModelServer({ wire: 'openai', answers: [] })
  await cordon.ask(['up', '--detach'])
  await cordon.ask(['profiles', 'add', 'tiny', '--url', server.url, '--model', 'tiny-1'])
  // A model that runs elsewhere although it is asked here, so it has a price.
  const priced = '\n[models.priced]\nmodel = "dear-cloud"\nlocal = true\n'
  const price = `url = "${server.url}"\nprice_per_million = { input = 10, output = 100 }\n`
  appendFileSync(path.join(cordon.home, 'config.toml'), priced + price)
  await cordon.ask(['profiles', 'use', 'priced'])
})
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Scripts an empty plan, and the answer that follows it. */
function talks(said: ScriptedAnswer): void {
  const plan = { kind: 'text', text: '{"plan":[]}', inputTokens: 100, outputTokens: 10 } as const
  server.answers = (prompt) => (prompt.schema === undefined ? said : plan)
}

async function openChat(term?: string): Promise<Terminal> {
  const terminal = await openCommand(cordon, ['chat'], term === undefined ? {} : { term })
  await terminal.until(/^›$/)
  return terminal
}

async function say(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line)
  await terminal.press('Enter')
}

test('an answer appears as it is written, once, and a dim line says what the turn used', async () => {
  await using chat = await openChat()
  const text = 'The sea is salty because rivers bring salt, and none leaves again.'
  talks({ kind: 'text', text, pieceMs: 150, inputTokens: 900, outputTokens: 20 })
  await say(chat, 'why is the sea salty')
  const early = await chat.until(/\nThe sea/)
  assert.doesNotMatch(early, /leaves again/, 'the beginning is there before the end')
  const screen = await chat.until(/tokens · \$0\.01\n›$/)
  assert.equal(
    screen,
    `› why is the sea salty\n${text}\ndear-cloud · 1,030 tokens · $0.01\n›`,
    'planning and answering together',
  )
  const dim = '\u001b[2mdear-cloud · 1,030 tokens · $0.01\u001b[22m'
  assert.ok(chat.written().includes(dim))
  await say(chat, 'hello')
  assert.doesNotMatch(await chat.until(/Hello![^]*\n›$/), /Hello![^]*tokens/)
})

test('escape sequences that are split over pieces are spelled out', async () => {
  await using chat = await openChat()
  const evil = `${'.'.repeat(6)}\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e😀 end`
  talks({ kind: 'text', text: evil, pieceMs: 20 })
  await say(chat, 'tell me a joke')
  await chat.until(/\\u001b\]0;owned\\u0007\\u001b\[2J\\u009b31m\\u202e😀 end\n/)
  for (const obeyed of ['\u001b]0', '\u001b[2J', '\u0007', '\u009b', '\u202e'])
    assert.ok(!chat.written().includes(obeyed), JSON.stringify(obeyed))
})

test('Ctrl-C in the middle of a slow answer ends the turn, and the prompt is back', async () => {
  await using chat = await openChat()
  talks({ kind: 'text', text: 'word '.repeat(200), pieceMs: 1000 })
  await say(chat, 'tell me a long story')
  await chat.until(/\nword/)
  await chat.press('C-c')
  await chat.until(/\nword[^\n]*\nStopped waiting for the answer\. .*\n›$/)
  await until(() => server.open === 0)
  talks('Short.')
  await say(chat, 'tell me a short one')
  await chat.until(/\nShort\.\n[^\n]*tokens[^\n]*\n›$/)
})

test('an answer that breaks off is said to have, and the turn ends honestly', async () => {
  await using chat = await openChat()
  talks({ kind: 'cut', text: 'It begins well and' })
  await say(chat, 'tell me a story')
  await chat.until(
    /\nIt begins[^\n]*\n\(the model did not finish that answer\)\n[^\n]+\n[^\n]*tokens[^\n]*\n›$/,
  )
})

test('a dumb terminal and a pipe get whole answers, nothing of one that breaks off, and no escape sequence', async () => {
  await using chat = await openChat('dumb')
  talks('one two three four five')
  await say(chat, 'count to five')
  await chat.until(/\none two three four five\ndear-cloud · [^\n]*\n›$/)
  talks({ kind: 'cut', text: 'It begins well and' })
  await say(chat, 'tell me a story')
  await chat.until(/› tell me a story\n[^]+\n›$/)
  const { stdout } = await cordon.run(['chat'], { stdin: 'count to five\n' })
  for (const seen of [chat.written(), stdout]) {
    assert.doesNotMatch(seen, /It begins|did not finish/)
    assert.ok(!seen.includes('\u001b'))
  }
})

test('`ask --json` has the usage of the turn, and the log holds no word of it', async () => {
  talks({ kind: 'text', text: 'A zebra.', inputTokens: 5, outputTokens: 5 })
  const { answer, usage } = await cordon.ask<{ answer: string; usage: object }>([
    'ask',
    'which animal has stripes',
  ])
  assert.equal(answer, 'A zebra.')
  const cost = (105 * 10 + 15 * 100) / 1_000_000
  assert.deepEqual(usage, { models: ['dear-cloud'], inputTokens: 105, outputTokens: 15, cost })
  const asked = await cordon.run(['ask', 'which animal has stripes'])
  assert.equal(asked.stdout, 'A zebra.\n')
  assert.match(asked.stderr, /dear-cloud · 120 tokens · \$0\.0026\n/)
  const plain = await cordon.ask<object>(['ask', 'hello'])
  assert.ok(!('usage' in plain))
  const log = readFileSync(path.join(cordon.home, 'logs', 'cordon.log'), 'utf8')
  assert.match(log, /"model":"dear-cloud"/)
  assert.doesNotMatch(log, /zebra|stripes/i)
})

test('profiles list sums up today, over a restart', async () => {
  type List = { today: { tokens: number; cost: number }; profiles: { today: { cost: number } }[] }
  const { today, profiles } = await cordon.ask<List>(['profiles', 'list'])
  assert.ok(today.tokens > 1000 && today.cost > 0.01)
  assert.equal(
    today.cost,
    profiles.reduce((sum, one) => sum + one.today.cost, 0),
  )
  const before = (await cordon.run(['profiles', 'list'])).stdout
  assert.match(before, /\nAll of them today: [\d,]+ tokens, \$0\.\d\d\n$/)
  await cordon.run(['down'])
  assert.equal((await cordon.run(['profiles', 'list'])).stdout, before)
})
