/** Approvals by button: bound to the exact calls, the message and the owner's account; answered once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { ServerId } from '../../src/kernel/server-id.ts'
import { storeTree } from '../../src/labels/stored-label.ts'
import { OWN_WORDS } from '../../src/labels/label.ts'
import type { SentMessage } from '../fixtures/telegram-server.ts'
import { until } from '../fixtures/until.ts'
import { ADA, BOB, openTelegramHouse, type TelegramHouse } from './telegram-house.ts'

const HOUR_MS = 3_600_000

function approval(id: string, changes: Partial<ShownApproval> = {}): ShownApproval {
  const now = Date.now()
  const line = (text: string) => [{ text, tone: 'plain' as const }]
  const item = {
    digest: `digest-of-${id}`,
    callId: id,
    tool: { server: 'notes' as ServerId, name: 'write' },
    serverName: 'notes',
    effect: 'write' as const,
    rule: 'rule',
    reason: 'reason',
    offers: [],
    args: { text: 'hello' },
    labels: { text: storeTree({ label: OWN_WORDS }) },
  }
  return {
    id,
    taskId: id,
    state: 'pending',
    createdAt: new Date(now - HOUR_MS).toISOString(),
    expiresAt: new Date(now + HOUR_MS).toISOString(),
    items: [item],
    answeredHow: [],
    isWaitedFor: true,
    needsFullView: false,
    lines: [line(`notes wants to write (${id})`), line('text: "hello"')],
    more: [],
    ...changes,
  }
}

async function ask(house: TelegramHouse, shown: ShownApproval): Promise<SentMessage> {
  house.approvals.push(shown)
  house.changes.announce()
  return await house.server.said(ADA, new RegExp(`\\(${shown.id}\\)`))
}

async function pressed(house: TelegramHouse, count: number): Promise<void> {
  await until(() => house.server.pressAnswers.length >= count)
}

test('CHAT-4: a button allows exactly what was shown, once, and the message says so afterwards', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const message = await ask(house, approval('q1'))
  assert.deepEqual(
    message.buttons.map(({ text }) => text),
    ['Deny', 'Allow once'],
  )
  for (const { callback_data: data } of message.buttons) assert.ok(Buffer.byteLength(data) <= 64)
  const button = message.buttons[1]?.callback_data ?? ''
  server.press(ADA, message, 'Allow once')
  await pressed(house, 1)
  assert.deepEqual(house.answers, [{ id: 'q1', allow: ['digest-of-q1'], channel: 'chat' }])
  await until(() => message.text.endsWith('✓ Allowed.'))
  assert.deepEqual(message.buttons, [])
  server.press(ADA, message, button)
  server.press(ADA, message, button)
  await pressed(house, 3)
  assert.equal(house.answers.length, 1)
  assert.match(server.pressAnswers.at(-1) ?? '', /not open any more/)
})

test('CHAT-4: a button that is forwarded, pressed by somebody else or made up does nothing', async () => {
  await using house = await openTelegramHouse()
  const { server, telegram } = house
  const { code } = await telegram.pair('paired')
  server.write(BOB, code)
  await server.said(BOB, /You are paired/)
  const message = await ask(house, approval('q2'))
  server.press(BOB, message, 'Allow once') // a paired person
  server.press(666, message, 'Allow once') // a stranger, who is not even answered
  server.press(ADA, message, 'Allow once', { message_id: 99_999 }) // a copy in another message
  server.press(ADA, message, 'Allow once', { chat: { id: BOB, type: 'private' } }) // in another chat
  server.press(ADA, message, 'allow:AAAAAAAAAAAAAAAAAAAAAA') // not bound to these calls
  server.press(ADA, message, 'nonsense')
  await pressed(house, 5)
  server.write(BOB, 'y')
  await server.said(BOB, /privacy reasons/)
  assert.deepEqual(house.answers, [])
  // The calls of the question changed since it was shown.
  const [shown] = house.approvals
  if (shown)
    house.approvals[0] = {
      ...shown,
      items: shown.items.map((item) => ({ ...item, digest: 'other' })),
    }
  server.press(ADA, message, 'Allow once')
  await pressed(house, 6)
  assert.deepEqual(house.answers, [])
})

test('CHAT-4: a long question is allowed only after it was shown as a whole', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const message = await ask(house, approval('q3', { needsFullView: true }))
  assert.deepEqual(
    message.buttons.map(({ text }) => text),
    ['Deny', 'Show it all'],
  )
  const allow = message.buttons[1]?.callback_data.replace('full', 'allow') ?? ''
  server.press(ADA, message, allow)
  await pressed(house, 1)
  assert.match(server.pressAnswers[0] ?? '', /See it all first/)
  server.write(ADA, 'y')
  await server.said(ADA, /^See it all first/)
  assert.deepEqual(house.answers, [])
  server.press(ADA, message, 'Show it all')
  await pressed(house, 2)
  const whole = server.sent.at(-1)
  assert.ok(whole)
  server.press(ADA, whole, 'Allow once')
  await pressed(house, 3)
  assert.equal(house.answers.length, 1)
})

test('a typed y or n answers the open question, past the message that waits for it', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const answered = Promise.withResolvers<void>()
  house.handlers = {
    setup: async () => undefined,
    async chat({ text }) {
      if (text === 'write it') await answered.promise
      return { kind: 'text', text: `heard ${text}` }
    },
  }
  server.write(ADA, 'write it')
  await until(() => house.heard.length === 1)
  // Asked just now: it is put at once, since a message of the owner is worked on.
  await ask(house, approval('q4', { createdAt: new Date().toISOString() }))
  await ask(house, approval('q5'))
  server.write(ADA, 'n')
  await server.said(ADA, /More than one question is open/)
  const fifth = await server.said(ADA, /\(q5\)/)
  const more = { reply_to_message: { message_id: Number(fifth.id), date: 1, chat: { id: ADA } } }
  server.write(ADA, 'no', { more })
  await server.said(ADA, /^Denied/)
  server.write(ADA, 'y')
  await server.said(ADA, /^Allowed/)
  answered.resolve()
  await server.said(ADA, /heard write it/)
  assert.deepEqual(
    house.answers.map(({ id, allow }) => [id, allow]),
    [
      ['q5', []],
      ['q4', ['digest-of-q4']],
    ],
  )
  assert.deepEqual(
    house.heard.map(({ text }) => text),
    ['write it'],
  )
})

test('a question that expires, or is answered elsewhere, loses its buttons, also after a restart', async () => {
  await using house = await openTelegramHouse()
  const message = await ask(house, approval('q6'))
  await until(() => house.notes.all.has('telegram.question/q6'))
  await house.restart()
  house.approvals[0] = { ...approval('q6'), state: 'expired' }
  house.changes.announce()
  await until(() => /Expired: nothing was done/.test(message.text))
  house.server.press(ADA, message, 'allow:xyz')
  await pressed(house, 1)
  assert.deepEqual([message.buttons, house.answers], [[], []])
})

test('a question asked elsewhere is left to that place for a while', async () => {
  await using house = await openTelegramHouse()
  // A minute ahead, so that it stays new however long the other one takes.
  const createdAt = new Date(Date.now() + 60_000).toISOString()
  house.approvals.push(approval('q7', { createdAt }))
  house.changes.announce()
  await ask(house, approval('q8'))
  assert.equal(house.server.sent.filter(({ text }) => text.includes('(q7)')).length, 0)
  house.clock.skipMs = 71_000
  house.changes.announce()
  await house.server.said(ADA, /\(q7\)/)
})

test('notices come as one message, each once, and a sign-in can be begun with one tap', async () => {
  await using house = await openTelegramHouse()
  const { server } = house
  const notice = (server_: string, kind: string) => ({
    id: `${server_}:${kind}`,
    kind,
    server: server_,
    items: [],
    what: `The sign-in of ${server_} is over`,
    hint: `Sign in again with \`cordon connect ${server_}\``,
    since: '',
    last: '',
    count: 1,
    isSeen: false,
  })
  house.notices.push(notice('notion', 'sign-in'), notice('github', 'sign-in'))
  house.changes.announce()
  const message = await server.said(ADA, /notion is over[^]*github is over/)
  await until(() => house.notes.all.has('telegram.notice/github:sign-in'))
  await house.restart()
  house.notices.push(notice('slack', 'sign-in'))
  house.changes.announce()
  const next = await server.said(ADA, /slack is over/)
  assert.doesNotMatch(next.text, /notion/)
  server.press(ADA, message, 'Sign in to notion')
  await server.said(ADA, /heard connect notion/)
})
