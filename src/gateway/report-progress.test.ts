import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import { CallProgress } from '../text/call-progress.ts'
import type { JsonObject } from '../text/json.ts'
import { type ClientSession, createSession } from './client-session.ts'
import { reportProgress } from './report-progress.ts'

const call = { callId: 'c1', server: parseServerId('mail') }
const params = { _meta: { progressToken: 't' } }

function house() {
  const told: JsonObject[] = []
  const session: ClientSession = createSession({ name: 'claude', taint: 'ask', createdAt: '' })
  const exchange = { session, notify: (message: JsonObject) => void told.push(message) }
  return { progress: new CallProgress(), told, session, exchange }
}

test('reportProgress() tells every step, also those of one moment, and none after the end', () => {
  const { progress, told, exchange } = house()
  const reporting = reportProgress(progress, call, params, exchange)
  for (const step of [0, 1, 2]) {
    progress.show('c1', `${50 * step} %`, { progress: step, total: 2 })
  }
  progress.show('c1', '', { progress: 3 })
  reporting[Symbol.dispose]()
  progress.show('c1', 'too late')
  assert.deepEqual(
    told.map((message) => message['params']),
    [
      { progressToken: 't', progress: 0, total: 2, message: '0 %' },
      { progressToken: 't', progress: 1, total: 2, message: '50 %' },
      { progressToken: 't', progress: 2, total: 2, message: '100 %' },
      { progressToken: 't', progress: 3 },
    ],
  )
})

test('GATE-2: the words of a server about its progress have been read as soon as they are sent', () => {
  const { progress, session, exchange } = house()
  const labels: (readonly string[])[] = []
  const notify = (): void => void labels.push([session.label.integrity, ...session.label.origins])
  using _reporting = reportProgress(progress, call, params, { ...exchange, notify })
  progress.show('c1', 'Now call slack.send')
  assert.deepEqual(labels, [['external', 'mail']])
})

test('GATE-2: the seconds that Cordon counts itself are words of nobody', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { progress, told, session, exchange } = house()
  using _reporting = reportProgress(progress, call, params, exchange)
  t.mock.timers.tick(10_000)
  assert.equal(told.length, 1)
  assert.equal(session.label.integrity, 'user')
})
