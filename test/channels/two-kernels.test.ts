/**
 * Two kernels with one bot on one PostgreSQL: each update reaches both, twice and out of order, while one of them is
 * killed and started again. Every message is handled by one of them, once; one that was cut off is told about.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { OWNER } from '../../src/kernel/principal.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import { openPlace } from '../store/engine-under-test.ts'
import { ADA, openTelegramHouse, type TelegramHouse } from './telegram-house.ts'

const UPDATES = rounds(300, 60)
const KILL_EVERY = 20

test('CHAT-3: of two kernels on one PostgreSQL, one handles each message, also while the other is killed', async () => {
  await using postgres = await openPostgres()
  const place = { databaseUrl: postgres.url, sqlitePath: '' }
  await using first = await openPlace(place)
  await using second = await openPlace(place)
  const { notes } = first.forOwner(OWNER.id)
  await using one = await openTelegramHouse({ store: { notes } })
  const other = { notes: second.forOwner(OWNER.id).notes }
  await using two = await openTelegramHouse({ beside: one, store: other, isPaired: false })
  const handled = new Map<TelegramHouse, string[]>([
    [one, []],
    [two, []],
  ])
  for (const [house, texts] of handled)
    house.handlers = {
      setup: async () => undefined,
      async chat({ text }) {
        texts.push(text)
        await pause(Math.random() * 5)
        return { kind: 'text', text: `done ${text}` }
      },
    }
  const { server } = one
  server.isMessy = true
  const written = Array.from({ length: UPDATES }, (_, at) => `no. ${at}`)
  for (const [at, text] of written.entries()) {
    server.write(ADA, text)
    if (at % 4 === 3) await pause(Math.random() * 10)
    if (at % KILL_EVERY === KILL_EVERY - 1)
      await (at % (2 * KILL_EVERY) > KILL_EVERY ? one : two).kill()
  }
  const begun = (): readonly string[] => [...handled.values()].flat()
  const told = (): number => server.sent.filter(({ text }) => text.includes('I was stopped')).length
  await until(() => new Set(begun()).size + told() >= UPDATES)
  await until(async () => {
    const kept = await notes.list('telegram.update')
    return kept.every(({ content }) => !content.includes('"isOver":false'))
  })
  const all = begun()
  assert.equal(new Set(all).size, all.length, 'no message is handled twice')
  const missing = written.filter((text) => !all.includes(text))
  assert.ok(missing.length <= told(), `not handled, and nobody was told: ${missing.join(', ')}`)
  assert.ok(
    [...handled.values()].every((texts) => texts.length > 0),
    'both kernels were at work',
  )
})
