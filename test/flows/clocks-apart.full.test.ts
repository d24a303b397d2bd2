/** Real kernels on one PostgreSQL, one of them ten minutes ahead: a shared schedule comes by the clock of the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import { openKernels, runsOf } from './two-kernels.ts'

const MINUTE = 60_000
/** A kernel looks as soon as it is up, and again when a schedule changes. */
const LOOKED_MS = 4000
const NODE = { id: 'look', type: 'ledger.write', params: { run: 'x', step: 1 } }
const FLOW = { kind: 'ir', ir: { nodes: [NODE] } } as const

/** Five fields for a single time of the year, in UTC. */
function cronAt(time: number): string {
  const at = new Date(time)
  return `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`
}

test('a kernel that is ten minutes ahead starts no shared schedule early, and no other takes its times for attended', async () => {
  await using server = await openPostgres()
  await using kernels = openKernels(await server.createDatabase())
  const wishes = { readMs: 0 } as const
  const first = await kernels.start({ name: 'first', ...wishes })
  for (const name of ['soon', 'later']) {
    await first.api.call('flows.save', { name, source: FLOW, replace: false })
  }
  const soon = Math.ceil((Date.now() + 45_000) / MINUTE) * MINUTE
  await first.api.call('flows.schedule', { name: 'later', cron: cronAt(soon + 5 * MINUTE) })
  const ahead = await kernels.start({ name: 'ahead', isAhead: true, ...wishes })
  const { next } = await ahead.api.call('flows.schedule', { name: 'soon', cron: cronAt(soon) })
  assert.equal(next, new Date(soon).toISOString())
  await pause(LOOKED_MS)
  assert.deepEqual(await runsOf(first), [])
  await until(async () => ((await runsOf(first)) ?? []).length > 0)
  assert.ok(Date.now() >= soon)
  assert.deepEqual(
    (await runsOf(first))?.map(({ flow }) => flow),
    ['soon'],
  )
  for (const { api } of [first, ahead]) {
    const { notices } = await api.call('notices.list', {})
    assert.deepEqual(
      notices.filter(({ kind }) => kind === 'late'),
      [],
    )
  }
})
