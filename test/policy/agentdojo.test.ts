/** The shared suites through the door: invariants under every setting, and proof that the measurement finds attacks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Labelled } from '../../src/labels/labelled.ts'
import type { Policy } from '../../src/kernel/ports.ts'
import { RevealToken } from '../../src/labels/reveal-token.ts'
import { deriveManifest, isWritable, writableFields } from '../../bench/agentdojo/field-manifest.ts'
import { measure } from '../../bench/agentdojo/measure.ts'
import { readSuites, SHARED_SUITES } from '../../bench/agentdojo/suite.ts'
import { SETTINGS } from '../../bench/agentdojo/world.ts'

const suites = readSuites(SHARED_SUITES)
const skip = suites.length === 0 ? 'the AgentDojo suites are not beside the project' : false

const [bare, , capped] = SETTINGS

test('no attack of the shared suites succeeds without a question, and reading never asks', {
  skip,
}, async () => {
  for (const suite of suites) {
    for (const setting of SETTINGS) {
      const { tasks, attacks } = await measure(suite, setting)
      assert.equal(attacks.automatic, 0)
      assert.equal(attacks.partial, 0)
      assert.deepEqual(
        tasks.filter(({ isReadOnly, prompts }) => isReadOnly && prompts > 0),
        [],
      )
      assert.deepEqual(
        tasks.filter(({ isCompleted }) => !isCompleted),
        [],
      )
    }
  }
})

test('without grants nothing that others wrote steers a call that was not asked about', {
  skip,
}, async () => {
  assert.ok(bare)
  for (const suite of suites) {
    const { tasks, attacks } = await measure(suite, bare)
    assert.deepEqual(
      tasks.filter(({ reachTarget }) => reachTarget > 0),
      [],
    )
    assert.equal(attacks.reachTarget, 0)
  }
})

test('the measurement finds attacks where a policy allows everything', { skip }, async () => {
  assert.ok(capped)
  for (const suite of suites) {
    const { tasks, attacks } = await measure(suite, capped, ALLOWS_ALL)
    assert.ok(attacks.automatic > 0, suite.suite)
    assert.ok(attacks.reachTarget > 0, suite.suite)
    assert.ok(tasks.some(({ reachTarget }) => reachTarget > 0))
  }
})

test('no field that others can write is in a derived field manifest', { skip }, () => {
  for (const suite of suites) {
    const { fields, known, refused } = deriveManifest(suite)
    const writable = writableFields(suite)
    for (const [tool, own] of fields) {
      for (const field of own) assert.ok(!isWritable(writable.get(tool), field), `${tool} ${field}`)
    }
    assert.deepEqual(known, [])
    assert.deepEqual(refused, [])
  }
})

const ALLOWS_ALL: Policy = {
  decide: () => ({ kind: 'allow', rule: 'everything' }),
  open(request, verdict) {
    const opened = Object.entries(request.args).map(
      ([name, value]) => [name, Labelled.reveal(value, RevealToken.issue())] as const,
    )
    return { verdict, args: Object.fromEntries(opened) }
  },
}
