/** A turn in Telegram: the plan before it acts, the answer as it is written, a way to stop it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerId } from '../../src/kernel/server-id.ts'
import type { TurnNews } from '../../src/ports/turn-port.ts'
import { becomes, until } from '../fixtures/until.ts'
import { ADA, openTelegramHouse, type TelegramHouse } from './telegram-house.ts'

const tool = { server: 'notes' as ServerId, name: 'read' }

/** Every message begins a turn that is named by its text. */
function beginTurns(house: TelegramHouse): Map<string, TurnNews[]> {
  const heard = { setup: async () => undefined, chat: async () => undefined }
  house.handlers = { ...heard, turns: async ({ text }) => ({ kind: 'turn', turn: text }) }
  return house.turns
}

test('a turn shows its plan and steps in one message, and its answer, in pieces, in another', async () => {
  await using house = await openTelegramHouse()
  const { server, clock } = house
  const news: TurnNews[] = [{ kind: 'plan', text: 'I will read notes.', steps: [] }]
  beginTurns(house).set('read it', news)
  server.write(ADA, 'read it')
  const progress = await server.said(ADA, /I will read notes/)
  news.push({ kind: 'using', step: 'a', tool, args: [{ name: 'path', shown: 'x.txt' }] })
  news.push({ kind: 'piece', text: 'It says ' })
  const answer = await server.said(ADA, /^It says/)
  const pieces = Array.from({ length: 200 }, () => ({ kind: 'piece', text: '.' }) as const)
  news.push(...pieces)
  await until(() => {
    clock.skipMs += 2000
    news.push({ kind: 'piece', text: '.' })
    return answer.text.startsWith('It says ...')
  })
  news.push({ kind: 'used', step: 'a', tool, outcome: 'completed' })
  news.push({
    kind: 'answer',
    text: `It says hello. ${'More. '.repeat(1000)}end`,
    isQuestion: false,
  })
  await server.said(ADA, /end$/)
  await until(() => progress.text.endsWith('completed')) // an edit, which may come after the answer
  assert.match(
    progress.text,
    /I will read notes\.\nUsing notes\.read\.\.\.\n {2}path: "x\.txt"\n✓ notes\.read completed/,
  )
  const [, , first, second, ...more] = server.sent
  await becomes(() => `${first?.text}${second?.text}`, `It says hello. ${'More. '.repeat(1000)}end`)
  assert.deepEqual(more, [])
  assert.ok(answer.earlier.length < 100, 'not every piece is an edit')
})

test('the answer of a turn that asked a model ends with what it used', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const usage = { models: ['tiny'], inputTokens: 1000, outputTokens: 240, cost: 0.0031 }
  const turns = beginTurns(house)
  turns.set('ask it', [{ kind: 'answer', text: 'It is four.', isQuestion: false, usage }])
  turns.set('ask less', [{ kind: 'answer', text: 'It is five.', isQuestion: false }])
  server.write(ADA, 'ask it')
  await server.said(ADA, /^It is four\.\n\ntiny · 1,240 tokens · \$0\.0031$/)
  server.write(ADA, 'ask less')
  await server.said(ADA, /^It is five\.$/)
})

test('a question of a server is a message, and the next message passes the turn that waits for it', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const news: TurnNews[] = [
    { kind: 'using', step: 'a', tool, args: [] },
    { kind: 'question', text: 'Notes asks you:\n│ Who are you?' },
  ]
  beginTurns(house).set('ask me', news)
  const heard = { setup: async () => undefined, chat: async () => undefined }
  house.handlers = {
    ...heard,
    async turns({ text }) {
      if (text !== 'ask me') news.push({ kind: 'answer', text: `Hello ${text}`, isQuestion: false })
      return { kind: 'turn', turn: 'ask me' }
    },
  }
  server.write(ADA, 'ask me')
  await server.said(ADA, /Notes asks you:/)
  server.write(ADA, 'Ann')
  await server.said(ADA, /Hello Ann/)
  assert.deepEqual(
    server.sent.slice(1).map(({ text }) => text),
    ['Using notes.read...', 'Notes asks you:\n│ Who are you?', 'Hello Ann'],
  )
})

test('`cancel` stops the turn that is worked on, past the messages that wait', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const turns = beginTurns(house)
  turns.set('long work', [{ kind: 'plan', text: 'I will work for long.', steps: [] }])
  turns.set('next', [{ kind: 'answer', text: 'And this.', isQuestion: false }])
  server.write(ADA, 'long work')
  await server.said(ADA, /work for long/)
  server.write(ADA, 'next')
  server.write(ADA, '/cancel')
  await server.said(ADA, /And this/)
  assert.deepEqual(
    server.sent.slice(2).map(({ text }) => text),
    ['Stopped.', 'And this.'],
  )
})

test('a quoted text is given to a turn as a quotation; an answer of the bot only where a part is chosen', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const texts: string[] = []
  house.handlers = {
    setup: async () => undefined,
    chat: async () => undefined,
    async turns({ text, quoted }) {
      texts.push(text, quoted ?? '')
      house.turns.set(text, [
        { kind: 'answer', text: `turn ${texts.length / 2}`, isQuestion: false },
      ])
      return { kind: 'turn', turn: text }
    },
  }
  const chat = { id: ADA, type: 'private' }
  const old = { message_id: 7, date: 1, chat, text: 'old words\nin two lines' }
  server.write(ADA, 'keep this', { more: { reply_to_message: old } })
  await server.said(ADA, /turn 1/)
  const own = { ...old, from: { id: 110_201_543, is_bot: true, first_name: 'Cordon' } }
  server.write(ADA, 'the second', { more: { reply_to_message: own } })
  await server.said(ADA, /turn 2/)
  server.write(ADA, 'explain', {
    more: { reply_to_message: own, quote: { text: 'old', position: 0 } },
  })
  await server.said(ADA, /turn 3/)
  // Once, and apart from the words: the pipeline puts it behind a handle.
  assert.deepEqual(texts, [
    'keep this',
    'old words\nin two lines',
    'the second',
    '',
    'explain',
    'old',
  ])
})
