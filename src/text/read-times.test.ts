import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTimes } from './read-times.ts'
import { sayTimes } from './say-times.ts'

/** A Tuesday, 09:15 in Lisbon and 18:15 in Tokyo. */
const NOW = Date.parse('2026-11-17T09:15:00Z')
const LISBON = { now: NOW, timezone: 'Europe/Lisbon' }

function cronOf(words: string, clock = LISBON): string {
  const read = readTimes(words, clock)
  return read.kind === 'times' ? read.cron : `? ${read.reason.split(' Say it like')[0]}`
}

const REPEATED: readonly (readonly [string, string, string])[] = [
  ['every weekday at 8', '0 8 * * 1-5', 'every weekday at 08:00'],
  ['weekdays at 8:05 am', '5 8 * * 1-5', 'every weekday at 08:05'],
  ['on weekdays at 8.30', '30 8 * * 1-5', 'every weekday at 08:30'],
  ['from Monday to Friday at 8', '0 8 * * 1-5', 'every weekday at 08:00'],
  ['at 8 every weekday', '0 8 * * 1-5', 'every weekday at 08:00'],
  ['every day at 7:30', '30 7 * * *', 'every day at 07:30'],
  ['daily at 7:30pm.', '30 19 * * *', 'every day at 19:30'],
  ['every evening at 6', '0 18 * * *', 'every day at 18:00'],
  ['every day at 6 in the evening', '0 18 * * *', 'every day at 18:00'],
  ['every night at 2', '0 2 * * *', 'every day at 02:00'],
  ['every night at 11', '0 23 * * *', 'every day at 23:00'],
  ['every day at noon', '0 12 * * *', 'every day at 12:00'],
  ['every day at 12 am', '0 0 * * *', 'every day at 00:00'],
  ['every day at 8 and 17', '0 8,17 * * *', 'every day at 08:00 and 17:00'],
  ['on mondays and fridays at 9', '0 9 * * 1,5', 'on Mondays and Fridays at 09:00'],
  [
    'every Monday, Wednesday and Friday at 9',
    '0 9 * * 1,3,5',
    'on Mondays, Wednesdays and Fridays at 09:00',
  ],
  ['every tue at 21:45', '45 21 * * 2', 'on Tuesdays at 21:45'],
  ['at the weekend at 10', '0 10 * * 0,6', 'on weekends at 10:00'],
  ['every 2 hours', '0 */2 * * *', 'every 2 hours'],
  ['every hour', '0 * * * *', 'every hour'],
  ['every 15 minutes', '*/15 * * * *', 'every 15 minutes'],
  ['every minute', '* * * * *', 'every minute'],
  ['on the first of the month at 9', '0 9 1 * *', 'on the 1st of each month at 09:00'],
  ['on the 22nd of every month at 9', '0 9 22 * *', 'on the 22nd of each month at 09:00'],
  ['every month on the 31st at 9', '0 9 31 * *', 'on the 31st of each month that has one at 09:00'],
  ['on the last day of the month at 9', '0 9 L * *', 'on the last day of each month at 09:00'],
]

test('times that come again are read as cron fields, and said again in words', () => {
  for (const [words, cron, said] of REPEATED) {
    assert.equal(cronOf(words), cron, words)
    assert.equal(sayTimes(cron), said)
  }
  assert.equal(sayTimes('7 3-5 * 2 *'), 'at 7 3-5 * 2 * (cron)')
})

test('a single time is read in the time zone of its owner', () => {
  const once: readonly (readonly [string, string])[] = [
    ['tomorrow at 8', '2026-11-18T08:00:00'],
    ['tomorrow evening at 8', '2026-11-18T20:00:00'],
    ['today at 18:00', '2026-11-17T18:00:00'],
    ['tonight at 8', '2026-11-17T20:00:00'],
    ['at 10', '2026-11-17T10:00:00'],
    ['at 9', '2026-11-18T09:00:00'],
    ['on friday at 9', '2026-11-20T09:00:00'],
    ['on tuesday at 9', '2026-11-24T09:00:00'],
    ['on 24 December at 9', '2026-12-24T09:00:00'],
    ['on January 2nd at 9', '2027-01-02T09:00:00'],
    ['on 2027-02-28 at 9', '2027-02-28T09:00:00'],
    ['in 2 hours', '2026-11-17T11:15:00'],
    ['in 10 minutes', '2026-11-17T09:25:00'],
  ]
  for (const [words, cron] of once) assert.equal(cronOf(words), cron, words)
  assert.equal(sayTimes('2026-11-18T08:00:00'), 'once, on Wednesday 18 November 2026 at 08:00')
  const late = { now: Date.parse('2026-11-17T16:00:00Z'), timezone: 'Asia/Tokyo' }
  assert.equal(cronOf('tomorrow at 8', late), '2026-11-19T08:00:00', 'it is the 18th in Tokyo')
})

test('a time that is not understood is refused with examples, and never guessed', () => {
  const unclear: readonly (readonly [string, RegExp])[] = [
    ['soon', /did not understand the time "soon"/],
    ['every weekday', /At what time of day/],
    ['every blue moon at 8', /did not understand/],
    ['every weekday at 25', /no such time of day/],
    ['every day at 13 pm', /no such time of day/],
    ['today at 8', /has passed/],
    ['every 7 hours', /so many hours: 1, 2, 3, 4, 6, 8, 12\./],
    ['every 2 days at 9', /did not understand/],
    ['every day at 8 and 17:30', /same minute/],
    ['on monday and friday at 9', /did not understand/],
    ['on 30 february at 9', /did not understand/],
    ['on the 32nd of the month at 9', /did not understand/],
    ['every weekday at 8 unless it rains', /did not understand/],
  ]
  for (const [words, reason] of unclear) {
    assert.match(cronOf(words), reason, words)
    assert.match(JSON.stringify(readTimes(words, LISBON)), /Say it like: every weekday at 8/)
  }
})

test('a long sentence is read in linear time', () => {
  const days = 'monday and '.repeat(20_000)
  assert.match(cronOf(`on ${days}noday at 9`), /did not understand/)
  assert.match(cronOf(`at 8${' and 9'.repeat(20_000)} every noday`), /did not understand/)
})
