import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { FlowRun } from '../../ports/flow-port.ts'
import { type Answers, runFake } from '../fake-surface.ts'

const RUN: FlowRun = {
  id: '0198c1a2-0000-7000-8000-000000000001',
  flow: 'echo',
  state: 'running',
  principal: 'principal:owner',
  startedAt: '2030-01-01T00:00:00.000Z',
  stepsDone: 1,
}

test('leaving ends also where the kernel does not answer', async (t) => {
  const leaving = new AbortController()
  const limit = new AbortController()
  const timeout = t.mock.method(AbortSignal, 'timeout', () => limit.signal)
  const answers: Answers = {
    'flows.show': async () => ({ ...RUN, steps: [], ir: {} }),
    'flows.follow': async () => {
      leaving.abort()
      throw new DOMException('gone', 'AbortError')
    },
    'flows.cancel': async (_input, signal) => {
      queueMicrotask(() => limit.abort())
      await once(signal ?? assert.fail('there is no limit'), 'abort')
      throw new DOMException('gone', 'AbortError')
    },
  }
  const ran = await runFake(['flow', 'resume', RUN.id], answers, { signal: leaving.signal })
  assert.equal(ran.code, 5)
  assert.match(ran.stderr, /error: Cannot cancel the run .*: the kernel does not answer\n/)
  assert.match(ran.stderr, /hint: Run `cordon flow cancel [0-9a-f-]{36}` when/)
  assert.deepEqual(timeout.mock.calls.at(-1)?.arguments, [5000])
})
