/** Results of scheduled runs in Telegram, over a real grammY: to the chat that was named, once, or told elsewhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowRun } from '../../src/ports/flow-port.ts'
import { OWN_WORDS } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { openDeliveries, type OwnedDeliveries } from '../../src/pipeline/open-deliveries.ts'
import { until } from '../fixtures/until.ts'
import { ADA, BOB, openTelegramHouse, type TelegramHouse } from './telegram-house.ts'

const LABEL = { ...OWN_WORDS, integrity: 'external', level: 'sensitive' } as const
const expected = { run: 'r1', flow: 'digest', isForOwner: true }

function openFor(house: TelegramHouse, raised: string[], patienceMs = 300_000): OwnedDeliveries {
  const run = { id: 'r1', state: 'completed', startedAt: '2030-01-01T08:00:00.000Z' } as FlowRun
  const deliveries = openDeliveries({
    notes: house.notes,
    locks: { exclusively: async (_name, work) => await work() },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    chats: house.telegram.chats,
    notices: {
      raise: (_kind, about, _items, why) => void raised.push(`${about} ${why}`),
      resolve: () => undefined,
    },
    flows: {
      follow: async () => ({ run, events: [] }),
      results: async () => ({
        last: new Labelled('see evil.test hunter2-secret', { label: LABEL }),
      }),
    },
    now: Date.now,
    timezone: 'UTC',
    patienceMs,
  })
  deliveries.begin()
  return deliveries
}

function stateOf(house: TelegramHouse): string {
  const row = [...house.notes.all].find(([key]) => key.startsWith('delivery/'))?.[1] ?? '{}'
  return (JSON.parse(row) as { state?: string }).state ?? 'none'
}

test('CHAT-6: a result arrives in the owner’s chat, once over a kill, redacted and without a link to tap', async () => {
  await using house = await openTelegramHouse()
  const raised: string[] = []
  const first = openFor(house, raised)
  await first.expect({ ...expected, sinks: ['sink:telegram:owner'] })
  const said = await house.server.said(ADA, /digest says/)
  await until(() => stateOf(house) === 'delivered')
  assert.equal(said.text, 'digest says:\n│ see evil.test [redacted]')
  assert.ok(said.entities.some(({ type }) => type === 'code'))
  await house.kill()
  await first[Symbol.asyncDispose]()
  await using again = openFor(house, raised)
  await again.expect({ ...expected, sinks: ['sink:telegram:owner'] })
  house.server.write(ADA, 'still there?')
  await house.server.said(ADA, /heard still there/)
  assert.equal(house.server.sent.filter(({ text }) => text.startsWith('digest')).length, 1)
  assert.deepEqual(raised, [])
})

test('CHAT-2: a paired person is not sent a result above internal, but that it cannot be sent', async () => {
  await using house = await openTelegramHouse()
  const { code } = await house.telegram.pair(undefined)
  house.server.write(BOB, code)
  await house.server.said(BOB, /You are paired/)
  await using deliveries = openFor(house, [])
  await deliveries.expect({ ...expected, sinks: [`sink:telegram:peer:${BOB}`] })
  await house.server.said(
    BOB,
    /^I can't send that information to this channel for privacy reasons\.$/,
  )
})

test('while Telegram is down, or after the account was unpaired, the owner is told on this machine', async () => {
  await using house = await openTelegramHouse()
  const raised: string[] = []
  house.server.isDown = true
  house.server.changes.announce()
  await until(async () => (await house.telegram.view()).state === 'waiting')
  {
    await using deliveries = openFor(house, raised, 200)
    await deliveries.expect({ ...expected, sinks: ['sink:telegram:owner'] })
    await until(() => stateOf(house) === 'elsewhere')
    assert.equal(await deliveries.resultText('r1'), 'digest says:\n│ see evil.test hunter2-secret')
  }
  house.server.isDown = false
  await house.telegram.unpair(String(ADA))
  await using deliveries = openFor(house, raised)
  await deliveries.expect({ ...expected, run: 'r2', sinks: ['sink:telegram:owner'] })
  await until(() => raised.length === 2)
  assert.deepEqual(raised, [
    'digest ran (08:00); not sent to Telegram: Cannot reach Telegram',
    'digest ran (08:00); not sent to Telegram: Cannot write to that account: it is not paired',
  ])
  assert.ok(!house.server.sent.some(({ text }) => text.startsWith('digest')))
})

test('a notice about a delivery is not repeated in Telegram: it was not named', async () => {
  await using house = await openTelegramHouse()
  const notice = { items: [], since: '', last: '', count: 1, isSeen: false, hint: 'Look' }
  const about = (kind: string) => ({
    ...notice,
    id: `x:${kind}`,
    kind,
    server: 'x',
    what: `a ${kind}`,
  })
  house.notices.push(about('result'), about('watch'), about('watch-failed'), about('scopes'))
  house.changes.announce()
  const said = await house.server.said(ADA, /a scopes/)
  assert.equal(said.text, '! a scopes. Look.')
  assert.deepEqual(
    said.buttons.map(({ text }) => text),
    ['Sign in to x'],
  )
})
