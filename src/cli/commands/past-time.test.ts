import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pastTime } from './past-time.ts'

const NOW = new Date(2026, 10, 19, 15, 30)
const of = (text: string): number => pastTime(text, NOW).getTime()

test('a time in the past is a date, a time, a while ago, or a day', () => {
  const local = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime()
  assert.equal(of('2026-11-15'), local(2026, 10, 15, 0, 0))
  assert.equal(of('2026-11-15T08:00'), local(2026, 10, 15, 8, 0))
  assert.equal(of('2026-11-15 08:00'), local(2026, 10, 15, 8, 0))
  assert.equal(of('2026-11-15T08:00:00Z'), Date.UTC(2026, 10, 15, 8))
  assert.equal(of('today'), local(2026, 10, 19, 0, 0))
  assert.equal(of('yesterday'), local(2026, 10, 18, 0, 0))
  for (const text of ['2h', '2 hours', '2 hours ago', '120m', '120 min']) {
    assert.equal(of(text), NOW.getTime() - 7_200_000, text)
  }
  assert.equal(of('1w'), of('7 days'))
})

test('any other text is refused with examples', () => {
  for (const text of [
    '',
    'soon',
    '2026',
    '2026-13-01',
    '2026-11-15x',
    '5',
    '-2h',
    'Nov 15',
    '1 year',
  ]) {
    assert.throws(() => of(text), { code: 'cli.time', exit: 2 }, text)
  }
})
