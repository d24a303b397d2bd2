import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFake } from '../fake-surface.ts'

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
      'flows.check': async () => ({
        isSound: true,
        findings: [],
        needs: [],
        steps: [],
        safety: { effect: 'local-read', level: 'internal', sinks: [] },
        ir,
      }),
      'flows.schedule': async ({ name, cron, template, sinks }) => ({
        name,
        cron,
        template,
        sinks,
        timezone: 'UTC',
        inputs: {},
        createdAt: '2030-01-01T00:00:00.000Z',
      }),
    },
  )
  assert.equal(code, 0)
  const request = calls.find(([route]) => route === 'flows.schedule')?.[1] as { inputs: unknown }
  assert.deepEqual(request.inputs, { most: 3, words: '3' })
})
