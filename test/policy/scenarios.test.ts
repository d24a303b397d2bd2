/** Our own suites with two and three servers: each scenario lists the verdict of every step and the calls that run. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Outcome } from '../../bench/agentdojo/run-task.ts'
import { playScenario, type Scenario, type ScenarioTask } from '../../bench/agentdojo/scenario.ts'
import { OWN_SUITES, readSuites } from '../../bench/agentdojo/suite.ts'

/** A secret with characters that every encoding writes differently. */
const SECRET = `tk/${randomBytes(9).toString('hex')}+"é`

const suites = readSuites(OWN_SUITES)
const scenarios = suites.flatMap((suite) =>
  (suite.userTasks as readonly ScenarioTask[]).map((task) => ({ suite, task })),
)

test('there are at least forty scenarios', () => {
  assert.ok(scenarios.length >= 40, String(scenarios.length))
})

for (const { suite, task } of scenarios) {
  test(`${suite.suite}: ${task.title}`, async () => {
    const { scenario } = task
    const { no, yes } = await playScenario(suite, task, SECRET)
    assert.deepEqual(verdictsOf(task, yes), scenario.expect)
    assert.deepEqual(reachedIn(no), scenario.reaches?.no ?? expected(scenario, ['allow']))
    assert.deepEqual(reachedIn(yes), scenario.reaches?.yes ?? expected(scenario, ['allow', 'ask']))
    if (scenario.questions !== undefined) assert.equal(yes.questions, scenario.questions)
    for (const [step, args] of Object.entries(scenario.leaves ?? {})) {
      const call = yes.house.reached.find(({ callId }) => callId.endsWith(`/${step}`))
      assert.deepEqual({ ...call?.args }, args)
    }
    for (const { house } of [no, yes]) assert.ok(!JSON.stringify(house.reached).includes(SECRET))
  })
}

function verdictsOf({ id, steps }: ScenarioTask, { house }: Outcome): readonly string[] {
  return steps.map((_, at) => {
    const verdict = house.verdicts.get(`${id}/${at}`)
    return verdict ? `${verdict.kind} ${verdict.rule}` : 'never tried'
  })
}

function reachedIn({ house }: Outcome): readonly number[] {
  return house.reached.map(({ callId }) => Number(callId.split('/').at(-1))).sort((a, b) => a - b)
}

function expected({ expect, approves }: Scenario, kinds: readonly string[]): readonly number[] {
  return expect.flatMap((line, at) => {
    const [kind = ''] = line.split(' ')
    const isApproved = kind !== 'ask' || (approves?.includes(at) ?? true)
    return kinds.includes(kind) && isApproved ? [at] : []
  })
}
