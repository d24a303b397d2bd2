/** Replies of the owner that other kernels on the same database stored for a run of this worker. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLOW_SETTINGS } from '../flow-settings.ts'
import type { ClaimedRun, RunLog } from './run-log.ts'
import { RunWorker } from './run-worker.ts'

const RUN: ClaimedRun = {
  claim: { run: 1, holder: 'w' },
  id: 'r',
  flow: 'f',
  isScheduled: false,
  input: 'null',
  needs: [],
  isNew: true,
  timesLost: 0,
}

test('a reply of another kernel that does not fit is left out, and no error leaves the worker', async () => {
  const [waits, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const unclaimed = [RUN]
  const stored = ['{"question":"q"}', 'no JSON']
  const shared = { asks: async () => undefined, takeReply: async () => stored.shift() }
  const runLog = {
    isShared: true,
    shared,
    claim: async () => unclaimed.shift(),
    settle: async () => true,
    explain: (error: unknown) => error,
  } as unknown as RunLog
  const warned: string[] = []
  const note = (message: string): void => void warned.push(message)
  const worker = new RunWorker(runLog, {
    async execute(run) {
      const ask = async (): Promise<void> => {
        waits.resolve()
        await over.promise
      }
      await run.calling(() => run.waiting(ask, { kind: 'approval' } as never))
      return { kind: 'parked' }
    },
    settled: () => undefined,
    replied: () => {
      throw new Error('the answer does not fit')
    },
    log: { info: () => undefined, warn: note, error: note },
    settings: FLOW_SETTINGS,
  })
  worker.begin()
  await waits.promise
  await worker.takeReplies()
  await worker.takeReplies()
  over.resolve()
  await worker.end()
  assert.deepEqual(warned, ['A reply cannot be taken', 'A reply cannot be taken'])
})
