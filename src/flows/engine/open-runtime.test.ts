/** The runs of a process that stays for long: what ended is not cancelled, and forgotten a month later without a restart. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { FlowRuntime } from './flow-runtime.ts'
import { openRuntime } from './open-runtime.ts'

const DAY_MS = 24 * 3600 * 1000
const root = mkdtempSync(path.join(tmpdir(), 'cordon-runtime-'))
after(() => rmSync(root, { recursive: true }))

/** With one run that has ended, and one that waits. */
async function openWithRuns(name: string): Promise<FlowRuntime> {
  const settled = { old: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() }
  const fail = (message: string): void => assert.fail(message)
  const place = { kind: 'sqlite', path: path.join(root, name) } as const
  const runtime = await openRuntime(place, {
    execute: async ({ id }) =>
      id === 'old' ? { kind: 'completed', output: null } : { kind: 'parked' },
    settled: (id) => settled[id as 'old' | 'open'].resolve(),
    log: { info: () => undefined, warn: fail, error: fail },
  })
  for (const id of ['old', 'open'] as const) {
    await runtime.start(id, null)
    await settled[id].promise
  }
  return runtime
}

test('a run is forgotten a month after it ended, while the process goes on', async (t) => {
  const daily: (() => void)[] = []
  const repeat = globalThis.setInterval
  t.mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
    if (ms === DAY_MS) daily.push(work)
    return repeat(work, ms)
  })
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  await using runtime = await openWithRuns('month.db')
  const daysPass = (days: number): void => {
    t.mock.timers.setTime(now + days * DAY_MS)
    for (const work of daily) work()
  }
  daysPass(29)
  assert.equal((await runtime.find('old'))?.state, 'completed')
  daysPass(31)
  assert.equal(await runtime.find('old'), undefined)
  assert.equal((await runtime.find('open'))?.state, 'running')
})

test('a run that ended while somebody cancels it stays as it ended', async () => {
  await using runtime = await openWithRuns('cancel.db')
  await runtime.cancel('old')
  assert.equal((await runtime.find('old'))?.state, 'completed')
  await runtime.cancel('open')
  assert.equal((await runtime.find('open'))?.state, 'cancelled')
  await runtime.cancel('nobody')
})
