import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowCheck } from '../../ports/flow-port.ts'
import type { ShownSchedule } from '../../ports/schedule-port.ts'
import { runFake } from '../fake-surface.ts'

const CHECK: Omit<FlowCheck, 'ir'> = {
  isSound: true,
  findings: [],
  needs: [],
  steps: [],
  safety: { effect: 'local-read', level: 'internal', sinks: [] },
}

test('an input of a schedule has the type that the flow declares, as it has in a run', async () => {
  const ir = { inputs: { most: { type: 'integer' }, words: { type: 'string' } } }
  const { code, calls } = await runFake(
    ['flow', 'schedule', 'todos', '--cron', '0 9 * * *', '--template', 'nightly'].concat([
      '--sink',
      'sink:owner',
      '--input',
      'most=3',
      'words=3',
    ]),
    {
      'flows.check': async () => ({ ...CHECK, ir }),
      'flows.schedule': async ({ name, cron = '', template = '', sinks = [] }) => ({
        name,
        cron,
        template,
        sinks,
        remarks: ['box.put will ask you each time.'],
        timezone: 'UTC',
        inputs: {},
        createdAt: '2030-01-01T00:00:00.000Z',
        overlap: 'skip',
        catchUp: 'once',
      }),
    },
  )
  assert.equal(code, 0)
  const request = calls.find(([route]) => route === 'flows.schedule')?.[1] as { inputs: unknown }
  assert.deepEqual(request.inputs, { most: 3, words: '3' })
})

test('the times are said in words, and the channel by its name; remarks are shown', async () => {
  const usual: Omit<ShownSchedule, 'name' | 'sinks' | 'cron'> = {
    timezone: 'UTC',
    inputs: {},
    createdAt: '',
    overlap: 'skip',
    catchUp: 'once',
    template: 'flow:todos',
  }
  const {
    code,
    calls,
    stdout: out,
  } = await runFake(['flow', 'schedule', 'todos', 'weekdays', 'at', '8', '--tell', 'telegram'], {
    'flows.check': async () => ({ ...CHECK, ir: {} }),
    'flows.schedule': async ({ name, sinks = [] }) => {
      const remarks = ['box.put will ask you each time.']
      return { ...usual, name, sinks, cron: '0 8 * * 1-5', remarks }
    },
  })
  assert.equal(code, 0)
  const request = calls.find(([route]) => route === 'flows.schedule')?.[1]
  assert.deepEqual(request, {
    name: 'todos',
    inputs: {},
    overlap: 'skip',
    catchUp: 'once',
    times: 'weekdays at 8',
    sinks: ['sink:telegram:owner'],
  })
  assert.match(out, /todos {2}every weekday at 08:00 \(UTC\).*sink:telegram:owner/)
  assert.match(out, /box\.put will ask you each time/)
})

test('watches are listed with their pace, and ended by their number', async () => {
  const watch = { number: 2, about: '~/notes/todo.txt', everyMs: 600_000, hasFailed: false }
  const { stdout } = await runFake(['flow', 'watches'], {
    'watches.list': async () => ({ watches: [{ ...watch, nextAt: '2030-01-01T00:00:00.000Z' }] }),
  })
  assert.match(stdout, /2 +~\/notes\/todo\.txt +every 10 minutes +next 2030-01-01/)
  const stopped = await runFake(['flow', 'unwatch', '2'], {
    'watches.stop': async () => ({ removed: true }),
  })
  assert.deepEqual(stopped.calls, [['watches.stop', { number: 2 }]])
  assert.match(stopped.stdout, /Watch 2 has ended/)
})
