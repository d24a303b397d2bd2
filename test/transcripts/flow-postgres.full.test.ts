/** Two kernels on one PostgreSQL: one runs the flow that the other saved, and a shared schedule starts once. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { type FlowCordon, openFlowCordon } from '../fixtures/flow-cordon.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'
import { onlyInFull } from '../../src/kernel/test-rounds.ts'

const SETTINGS =
  '[templates.t]\nallowed_tools = ["github.*"]\noutput_sinks = ["sink:owner"]\ndata_ceiling = "sensitive"\n'
const EVERY_MINUTE = ['flow', 'schedule', 'repo', '--cron', '* * * * *']
const postgres = await openPostgres()
after(() => postgres[Symbol.asyncDispose]())

test('kernels that share a database share flows, runs and schedules', async () => {
  const environment = { DATABASE_URL: await postgres.createDatabase() }
  await using one = await openFlowCordon({ settings: SETTINGS, environment })
  await using two = await openFlowCordon({ settings: SETTINGS, environment })
  await one.says(['flow', 'save', 'repo', 'mcp-github-get-repo --repo shared'])
  assert.equal(await two.says(['run', 'repo']), 'shared has 3 files')
  assert.equal((await runsOf(one, 'completed')).length, 1)
  await one.says([...EVERY_MINUTE, '--template', 't', '--sink', 'sink:owner'])
  assert.match(await two.says(['flow', 'schedules']), /^repo /)
})

test('a schedule of both kernels starts once each time', onlyInFull, async () => {
  const environment = { DATABASE_URL: await postgres.createDatabase() }
  await using one = await openFlowCordon({ settings: SETTINGS, environment })
  await using two = await openFlowCordon({ settings: SETTINGS, environment })
  await one.says(['flow', 'save', 'repo', 'mcp-github-get-repo --repo shared'])
  const made = await one.says([...EVERY_MINUTE, '--template', 't', '--sink', 'sink:owner'])
  const due = Date.parse(/next (\S+)/.exec(made)?.[1] ?? '')
  await new Promise((resolve) => setTimeout(resolve, due - Date.now() + 25_000))
  let runs: Output<'flows.runs'>['runs'] = []
  await until(async () => {
    const all = await runsOf(two, 'completed')
    runs = all.filter(({ principal }) => principal.includes('cron'))
    return runs.length >= 1
  })
  const times = new Set(runs.map(({ startedAt }) => startedAt.slice(0, 16)))
  assert.equal(runs.length, times.size)
})

async function runsOf(cordon: FlowCordon, state: string): Promise<Output<'flows.runs'>['runs']> {
  const args = ['flow', 'runs', '--state', state]
  return (await cordon.ask<Output<'flows.runs'>>(args)).runs
}
