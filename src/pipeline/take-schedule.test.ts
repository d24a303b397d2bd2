import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../kernel/principal.ts'
import type { Message } from '../kernel/receive.ts'
import type { FlowSchedule, ShownSchedule } from '../ports/schedule-port.ts'
import { deliver, OWNER_SINK } from '../labels/sink.ts'
import { takeSchedule } from './take-schedule.ts'
import type { TurnDeps } from './turn-deps.ts'

const TERMINAL: Message = { principal: OWNER, text: '', channel: 'terminal' }
const TELEGRAM: Message = {
  principal: OWNER,
  text: '',
  ref: { channel: 'telegram', chat: '1', message: '2' },
}

function house() {
  const now = (): number => Date.parse('2026-11-17T09:15:00Z')
  const rows: ShownSchedule[] = []
  const schedules: TurnDeps['schedules'] = {
    async put(schedule: Omit<FlowSchedule, 'createdAt'>) {
      const next = '2026-11-18T08:00:00.000Z'
      const made = { ...schedule, createdAt: '', next, remarks: ['notes.write will ask you.'] }
      rows.push(made)
      return made
    },
    list: async () => rows,
    remove: async (name) => rows.splice(rows.findIndex((one) => one.name === name)).length > 0,
    now,
  }
  const deps = {
    schedules,
    flows: { saved: async () => [{ name: 'Morning-Digest' }] },
    now,
    timezone: 'Europe/Lisbon',
  } as unknown as TurnDeps
  const say = async (words: string, message = TERMINAL): Promise<string | undefined> => {
    const said = await takeSchedule(deps, words, message)
    const delivery = said && deliver(said.answer, OWNER_SINK)
    return delivery?.kind === 'shown' ? (delivery.value as string) : undefined
  }
  return { rows, say }
}

test('a saved flow is scheduled in words, and the answer repeats the times, the next one, and what it will ask', async () => {
  const { rows, say } = house()
  assert.equal(
    await say('run morning-digest every weekday at 8'),
    [
      'Morning-Digest runs every weekday at 08:00. Next: Wednesday 18 November, 08:00 (Europe/Lisbon). The result comes to this machine (terminal and page).',
      'notes.write will ask you.',
      '`stop running Morning-Digest` ends it.',
    ].join('\n'),
  )
  const [{ cron, timezone, sinks, template, catchUp } = {} as ShownSchedule] = rows
  assert.deepEqual(
    [cron, timezone, sinks, template, catchUp],
    ['0 8 * * 1-5', 'Europe/Lisbon', ['sink:owner'], 'flow:Morning-Digest', 'once'],
  )
})

test('the result goes to the channel in which it is said, or to the one that is named', async () => {
  const { rows, say } = house()
  await say('run morning-digest every day at 8', TELEGRAM)
  await say('run morning-digest every day at 8 and tell me on telegram')
  await say('run morning-digest every day at 8 and tell me here', TELEGRAM)
  await say('run morning-digest every day at 8 and tell me here')
  assert.deepEqual(
    rows.map(({ sinks }) => sinks.join()),
    ['sink:telegram:owner', 'sink:telegram:owner', 'sink:telegram:owner', 'sink:owner'],
  )
})

test('schedules are listed with their last receipt, and stopped with what they were', async () => {
  const { rows, say } = house()
  assert.match((await say('schedules')) ?? '', /Nothing runs by itself/)
  await say('run morning-digest on mondays and fridays at 9', TELEGRAM)
  const receipt = { sink: 'sink:telegram:owner', at: '2026-11-16T09:00:03.000Z' } as const
  const missed = { ...receipt, state: 'elsewhere', reason: 'Cannot reach Telegram' } as const
  rows[0] = { ...(rows[0] as ShownSchedule), receipts: [missed] }
  assert.equal(
    await say('schedules'),
    [
      'By itself runs:',
      '  Morning-Digest on Mondays and Fridays at 09:00, to Telegram; next: Wednesday 18 November, 08:00',
      '     left out while it still runs; missed times are made up for once',
      '     last result: in your notices, Monday 16 November, 09:00; not to Telegram: Cannot reach Telegram',
    ].join('\n'),
  )
  assert.equal(
    await say('stop running morning-digest'),
    'Morning-Digest no longer runs by itself. It ran on Mondays and Fridays at 09:00.',
  )
  assert.equal(await say('stop running morning-digest'), 'morning-digest does not run by itself.')
})

test('a time that is not understood schedules nothing; a name that is no flow is left to the planner; a page cannot do it', async () => {
  const { rows, say } = house()
  assert.match((await say('run morning-digest every blue moon at 8')) ?? '', /did not understand/)
  assert.equal(await say('run the-report every weekday at 8'), undefined)
  const page = { ...TERMINAL, channel: 'page' }
  assert.match((await say('run morning-digest every day at 8', page)) ?? '', /no page in a browser/)
  assert.deepEqual(rows, [])
})
