/**
 * The plan alone decides which tools run, and how often: whatever a model answers after reading untrusted text, only
 * planned calls are tried.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../../src/text/json.ts'
import { deriveManifest } from '../../bench/agentdojo/field-manifest.ts'
import type { Oracle } from '../../bench/agentdojo/oracle.ts'
import { planFor } from '../../bench/agentdojo/plan.ts'
import { runTask } from '../../bench/agentdojo/run-task.ts'
import { OWN_SUITES, readSuites, SHARED_SUITES } from '../../bench/agentdojo/suite.ts'
import { createWorld, SETTINGS } from '../../bench/agentdojo/world.ts'

const suites = [...readSuites(OWN_SUITES), ...readSuites(SHARED_SUITES)]
const tasks = suites.flatMap((suite) => {
  const manifest = deriveManifest(suite)
  return suite.userTasks.map((task) => ({
    suite,
    manifest,
    plan: planFor(suite, manifest, task),
  }))
})

test('a model that says anything cannot change which tools run, nor how often', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tasks),
      fc.constantFrom(...SETTINGS),
      fc.infiniteStream(fc.jsonValue({ maxDepth: 2 })),
      async ({ suite, manifest, plan }, setting, says) => {
        const world = createWorld(suite, manifest, setting)
        const oracle = speaking(says)
        const { house } = await runTask({ world, oracle, owner: () => true, isBatched: true }, plan)
        const planned = new Map(plan.steps.map(({ at, tool }) => [`${plan.task.id}/${at}`, tool]))
        const tried = house.records.map(({ callId }) => callId)
        assert.equal(new Set(tried).size, tried.length)
        assert.ok(house.reached.every((call) => planned.get(call.callId) === call.tool.name))
        assert.ok(tried.every((callId) => planned.has(callId)))
      },
    ),
    { numRuns: 300 },
  )
})

/** A model that answers every question with the next random value. */
function speaking(says: Iterator<unknown>): Oracle {
  const next = (): Json => says.next().value as Json
  return { goal: undefined, read: next, write: next }
}
