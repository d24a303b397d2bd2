/** When a schedule is due: across a change of the clocks the same times come, whichever way they are computed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cron } from 'croner'
import { type CronTimes, nextTime, timesBetween } from './cron-times.ts'

const HOUR_MS = 3_600_000
const MOST = 100

function iso(times: readonly number[]): readonly string[] {
  return times.map((time) => new Date(time).toISOString().slice(5, 16))
}

function between(times: CronTimes, from: string, to: string, most = MOST): readonly string[] {
  return iso(timesBetween(times, Date.parse(from), Date.parse(to), most))
}

/** The times as they are shown: each the next one after the last. */
function shownBetween(times: CronTimes, from: string, to: string): readonly string[] {
  const found: number[] = []
  let time = Date.parse(from)
  for (;;) {
    const next = nextTime(times, time)
    if (next === undefined || next > Date.parse(to)) return iso(found)
    found.push(next)
    time = next
  }
}

test('of a long absence the last times are found, oldest first', () => {
  const daily = { cron: '0 9 * * *', timezone: 'UTC' }
  const [from, to] = ['2030-01-01T09:00:00Z', '2030-01-05T09:00:00Z']
  assert.deepEqual(between(daily, from, to, 3), ['01-03T09:00', '01-04T09:00', '01-05T09:00'])
  assert.deepEqual(between(daily, from, from), [])
  assert.deepEqual(between(daily, from, '2030-01-02T08:59:59.999Z'), [])
  assert.deepEqual(between({ cron: '99 9 * * *', timezone: 'UTC' }, from, to), [])
})

test('a look at a schedule that is not due takes no step back, and one at a due time takes two', (t) => {
  const back = t.mock.method(Cron.prototype, 'previousRuns')
  const daily = { cron: '0 9 * * *', timezone: 'UTC' }
  assert.deepEqual(between(daily, '2030-01-01T09:00:00Z', '2030-01-01T09:00:20Z'), [])
  assert.equal(back.mock.callCount(), 0)
  assert.equal(between(daily, '2030-01-01T08:59:50Z', '2030-01-01T09:00:10Z').length, 1)
  assert.deepEqual(
    back.mock.calls.map(({ arguments: [count] }) => count),
    [1, 1],
  )
})

const CHANGES = [
  ['Europe/Lisbon', '2030-03-30T12:00:00Z', '2030-04-01T12:00:00Z'],
  ['Europe/Lisbon', '2030-10-26T12:00:00Z', '2030-10-28T12:00:00Z'],
  ['America/New_York', '2030-03-09T12:00:00Z', '2030-03-11T12:00:00Z'],
  ['America/New_York', '2030-11-02T12:00:00Z', '2030-11-04T12:00:00Z'],
  ['Australia/Lord_Howe', '2030-04-06T00:00:00Z', '2030-04-07T23:00:00Z'],
] as const
const CRONS = ['30 1 * * *', '30 2 * * *', '15 * * * *', '*/20 1-2 * * *', '0 12 * * *']

for (const [timezone, from, to] of CHANGES) {
  test(`where clocks change in ${timezone} on ${from.slice(5, 10)}, every time that is shown is due once`, () => {
    for (const cron of CRONS) {
      const times = { cron, timezone }
      const shown = shownBetween(times, from, to)
      assert.ok(shown.length > 0)
      assert.equal(new Set(shown).size, shown.length, cron)
      assert.deepEqual(between(times, from, to), shown.slice(-MOST), cron)
      // As the kernel looks: every few seconds, from the last look on.
      const looks: number[] = []
      for (let at = Date.parse(from); at < Date.parse(to); at += HOUR_MS / 6) {
        looks.push(...timesBetween(times, at, Math.min(at + HOUR_MS / 6, Date.parse(to)), MOST))
      }
      assert.deepEqual(iso(looks), shown, cron)
    }
  })
}
