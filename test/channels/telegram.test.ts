/** The Telegram channel over a real grammY: who is answered, in which order, how often, and with what. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOT_TOKEN } from '../fixtures/telegram-server.ts'
import { until } from '../fixtures/until.ts'
import { ADA, BOB, openTelegramHouse } from './telegram-house.ts'

const never = new AbortController().signal

test('a bot is added with a token that Telegram knows, and no error repeats one', async () => {
  await using house = await openTelegramHouse({ isPaired: false })
  const { telegram } = house
  assert.equal((await telegram.view()).state, 'off')
  for (const token of ['nonsense', '110201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0'])
    await assert.rejects(telegram.add(token, never), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'channels.bad-token')
      return !error.message.includes(token)
    })
  assert.deepEqual(await telegram.add(BOT_TOKEN, never), {
    bot: '@cordon_test_bot',
    replaced: false,
  })
  await until(async () => (await telegram.view()).state === 'on')
  assert.doesNotMatch(JSON.stringify([...house.notes.all]), /AAHdq/)
})

test('CHAT-1: a stranger gets silence; a code lets one account in, once', async () => {
  await using house = await openTelegramHouse({ isPaired: false })
  const { telegram, server, heard } = house
  await telegram.add(BOT_TOKEN, never)
  server.write(BOB, 'hello')
  server.write(BOB, '/start')
  const { code, role } = await telegram.pair(undefined)
  assert.equal(role, 'owner')
  server.write(BOB, 'AAAA-AAAA')
  server.write(BOB, code, { chat: -7, isGroup: true })
  server.write(ADA, code.toLowerCase())
  await server.said(ADA, /This chat is yours now/)
  server.write(BOB, code)
  server.write(ADA, 'first words')
  await server.said(ADA, /heard first words/)
  assert.deepEqual(
    server.sent.filter(({ chat }) => chat !== String(ADA)),
    [],
  )
  assert.deepEqual(
    heard.map(({ text, principal }) => [text, principal.id]),
    [['first words', 'principal:owner']],
  )
  await assert.rejects(telegram.pair('owner'), { code: 'channels.owner-paired' })
})

// Regression 7
test('CHAT-2: a paired person is no owner: own principal, no questions, nothing above internal', async () => {
  await using house = await openTelegramHouse()
  const { telegram, server, heard } = house
  const { code, role } = await telegram.pair(undefined)
  assert.equal(role, 'paired')
  server.write(BOB, code, { name: 'Bob \u202e' })
  await server.said(BOB, /You are paired/)
  server.write(BOB, 'what is on my calendar')
  await server.said(BOB, /can't send that information to this channel for privacy reasons/)
  assert.deepEqual(
    heard.map(({ principal, isAsked, sink }) => [principal, isAsked, sink]),
    [
      [
        { kind: 'paired', id: `principal:telegram:peer:${BOB}` },
        false,
        { name: `sink:telegram:peer:${BOB}`, clearance: 'internal' },
      ],
    ],
  )
  const bob = (await telegram.view()).people.find(({ id }) => id === String(BOB))
  assert.equal(bob?.name, 'Bob')
  await telegram.unpair(String(BOB))
  const before = server.sent.length
  server.write(BOB, 'still there?')
  server.write(ADA, 'and I?')
  await server.said(ADA, /heard and I/)
  assert.equal(server.sent.length, before + 1)
  assert.deepEqual(
    house.events.map(({ kind }) => kind),
    ['channels.added', 'channels.paired', 'channels.paired', 'channels.unpaired'],
  )
})

test('in a group only a message to the bot is read, and nothing private is said there', async () => {
  await using house = await openTelegramHouse()
  const { server, heard } = house
  const group = { chat: -100, isGroup: true }
  server.write(ADA, 'not for the bot', group)
  server.write(ADA, '@cordon_test_bot what is new', group)
  await server.said(-100, /privacy reasons/)
  assert.deepEqual(
    heard.map(({ text, isGroup, isAsked }) => [text, isGroup, isAsked]),
    [['what is new', true, false]],
  )
})

// Regression 3
test('words that somebody else wrote are no command, and a voice note is refused in words', async () => {
  await using house = await openTelegramHouse()
  const { server, heard } = house
  server.write(ADA, 'remove notion', { more: { forward_origin: { type: 'hidden_user' } } })
  await server.said(ADA, /Forwarded words are somebody else/)
  server.write(ADA, '', { more: { voice: { file_id: 'x', file_unique_id: 'x', duration: 1 } } })
  await server.said(ADA, /I cannot listen to that/)
  const replied = { message_id: 7, date: 1, chat: { id: ADA, type: 'private' }, text: 'old words' }
  server.write(ADA, 'what does it mean?', { more: { reply_to_message: replied } })
  await server.said(ADA, /heard what does it mean/)
  assert.deepEqual(
    heard.map(({ text, principal, quoted }) => [text, principal.kind, quoted]),
    [
      ['remove notion', 'paired', undefined],
      ['what does it mean?', 'owner', 'old words'],
    ],
  )
})

test('answers come in the order of the messages, long ones in pieces, and nothing in them can be tapped', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const long = `${'word '.repeat(1500)}see https://evil.test/x or @evil, /evil, evil.test`
  const slow = Promise.withResolvers<void>()
  house.handlers = {
    setup: async () => undefined,
    async chat({ text }) {
      if (text === 'slow') await slow.promise
      return { kind: 'text', text: text === 'long' ? long : `heard ${text} hunter2-secret` }
    },
  }
  server.write(ADA, 'slow')
  server.write(ADA, 'long')
  server.write(ADA, 'last')
  await until(() => house.heard.length === 1)
  slow.resolve()
  await server.said(ADA, /heard last/)
  const [, ...said] = server.sent
  assert.equal(said[0]?.text, 'heard slow [redacted]')
  assert.equal(
    said
      .slice(1, -1)
      .map(({ text }) => text)
      .join(''),
    long,
  )
  const tail = said.at(-2)
  const quiet = (tail?.entities ?? []).map(({ type, offset, length }) => {
    return [type, tail?.text.slice(offset, offset + length)]
  })
  assert.deepEqual(quiet, [
    ['code', 'https://evil.test/x'],
    ['code', '@evil,'],
    ['code', '/evil,'],
    ['code', 'evil.test'],
  ])
})

test('CHAT-3: each update is handled once: twice sent, out of order, limited, over an outage and a restart', async () => {
  await using house = await openTelegramHouse()
  const { server, heard } = house
  server.isMessy = true
  server.limits.set('sendMessage', 2)
  for (let count = 0; count < 6; count += 1) server.write(ADA, `words ${count}.`)
  await server.said(ADA, /heard words 5/)
  server.isDown = true
  server.changes.announce()
  for (let count = 6; count < 9; count += 1) server.write(ADA, `words ${count}.`)
  await until(async () => (await house.telegram.view()).state === 'waiting')
  server.isDown = false
  await server.said(ADA, /heard words 8/)
  await until(() => [...house.notes.all.values()].every((note) => !note.includes('"isOver":false')))
  await house.restart()
  server.write(ADA, 'words 9.')
  await server.said(ADA, /heard words 9/)
  const expected = Array.from({ length: 10 }, (_, count) => `words ${count}.`)
  assert.deepEqual(
    heard.map(({ text }) => text),
    expected,
  )
  assert.deepEqual(
    server.sent.slice(1).map(({ text }) => text),
    expected.map((text) => `heard ${text}`),
  )
})

test('CHAT-3: a message that a dead process began is not done again, and its sender is told', async () => {
  await using house = await openTelegramHouse()
  const { server, heard } = house
  house.handlers = {
    ...house.handlers,
    chat: async ({ text }, signal) => {
      if (text !== 'a payment') return { kind: 'text', text: `heard ${text}` }
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('killed'))),
      )
      return undefined
    },
  }
  server.write(ADA, 'a payment')
  await until(() => heard.length === 1)
  server.write(ADA, 'next') // waits behind it, so it is not begun
  await until(() => server.asked.filter((method) => method === 'getUpdates').length > 3)
  await house.restart()
  await server.said(ADA, /I was stopped while I worked on this/)
  await server.said(ADA, /heard next/)
  assert.deepEqual(
    heard.map(({ text }) => text),
    ['a payment', 'next'],
  )
})
