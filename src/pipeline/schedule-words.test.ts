import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scheduleWords } from './schedule-words.ts'

test('sentences about schedules are found with their flow, their time and their channel', () => {
  const schedule = (flow: string, times: string, channel?: string) => {
    return { kind: 'schedule', flow, times, ...(channel !== undefined && { channel }) }
  }
  const known: readonly (readonly [string, object])[] = [
    ['run morning-digest every weekday at 8', schedule('morning-digest', 'every weekday at 8')],
    [
      'Run morning-digest every weekday at 8 and tell me on Telegram.',
      schedule('morning-digest', 'every weekday at 8', 'telegram'),
    ],
    ['run x tomorrow at 8, tell me here', schedule('x', 'tomorrow at 8', 'here')],
    ['schedule the flow X on mondays at 9', schedule('x', 'on mondays at 9')],
    ['every weekday at 8, run digest', schedule('digest', 'every weekday at 8')],
    [
      'run digest every 2 hours and send it to telegram',
      schedule('digest', 'every 2 hours', 'telegram'),
    ],
    [
      'run digest every 10 minutes, one after the other, catching up all, and tell me on telegram',
      {
        ...schedule('digest', 'every 10 minutes', 'telegram'),
        rules: { overlap: 'queue', catchUp: 'all' },
      },
    ],
    [
      'every 2 hours, one at a time, run digest',
      { ...schedule('digest', 'every 2 hours'), rules: { overlap: 'one' } },
    ],
    [
      'run digest every day at 8 without catching up',
      { ...schedule('digest', 'every day at 8'), rules: { catchUp: 'none' } },
    ],
    [
      'run digest hourly even if it still runs',
      { ...schedule('digest', 'hourly'), rules: { overlap: 'together' } },
    ],
    ['stop running morning-digest', { kind: 'stop', flow: 'morning-digest' }],
    ["don't run digest any more", { kind: 'stop', flow: 'digest' }],
    ['unschedule digest', { kind: 'stop', flow: 'digest' }],
    ['schedules', { kind: 'list' }],
    ['show my schedules', { kind: 'list' }],
  ]
  for (const [words, wanted] of known) assert.deepEqual(scheduleWords(words), wanted, words)
})

test('other sentences are left alone', () => {
  const others = [
    'run morning-digest',
    'run backup script',
    'stop',
    'what runs on port 80',
    'every weekday at 8',
    'tell me on telegram',
  ]
  for (const words of others) assert.equal(scheduleWords(words), undefined, words)
})
