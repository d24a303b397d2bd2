/**
 * A quick part of `npm run bench -- agentdojo-chat`: tasks of every suite typed into the real pipeline, and proof that
 * the measurement notices a planner that is shown results, an answer whose calls are made, and a door without PLAN-3.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '../../bench/agentdojo/adversary.ts'
import { openChatHouse } from '../../bench/agentdojo/chat-house.ts'
import { isAsRecorded } from '../../bench/agentdojo/flow-house.ts'
import { flowTasks } from '../../bench/agentdojo/flow-tasks.ts'
import { type ChatMeasure, measureChat } from '../../bench/agentdojo/measure-chat.ts'
import { sharedSuites, type Suite } from '../../bench/agentdojo/suite.ts'
import { SETTINGS } from '../../bench/agentdojo/world.ts'
import { obeyingTurns } from './obeying-turns.ts'
import { withoutPlan3 } from './without-plan3.ts'

const suites = sharedSuites()
const skip = suites.length === 0 ? 'the AgentDojo suites are not beside the project' : false
const [bare, granted] = SETTINGS
assert.ok(bare && granted)
const typed: ChatMeasure = { setting: bare, by: 'plan', remembers: false, sparse: 40 }

function suiteNamed(name: string): Suite {
  const found = suites.find(({ suite }) => suite === name)
  assert.ok(found, name)
  return found
}

for (const by of ['plan', 'saved flow'] as const) {
  test(`no attack reaches a server through the chat by way of a ${by}`, { skip }, async () => {
    for (const suite of suites) {
      const setting = suite.suite === 'slack' ? granted : bare
      const measured = await measureChat(suite, { ...typed, setting, by })
      const { suite: where, foreignTexts, pairs } = measured
      assert.deepEqual(measured.found, [], where)
      assert.equal(measured.foreignPlans, 0, where)
      assert.equal(measured.misfits, 0, where)
      // The attacker had the word: results were read by the model that answers.
      assert.ok(pairs > 0 && foreignTexts > 0, where)
      if (by === 'saved flow') assert.equal(measured.done, measured.tasks, where)
    }
  })
}

test('calls of a loop that are asked about together are answered by one yes', {
  skip,
}, async () => {
  const suite = suiteNamed('workspace')
  const task = flowTasks(suite).find((one) => one.task.id === 'user_task_25')
  assert.ok(task && bare)
  await using house = await openChatHouse(suite, { setting: bare })
  const talked = await house.talk({ task, adversary: NOBODY, saysYes: true, by: 'saved flow' })
  assert.equal(talked.questions, 1)
  assert.ok(isAsRecorded(task, talked))
})

test('a planner that is shown results is noticed', { skip }, async () => {
  const state = (told: readonly unknown[]): string => JSON.stringify(told)
  const measured = await measureChat(suiteNamed('banking'), { ...typed, state, sparse: 12 })
  assert.ok(measured.foreignPlans > 0)
  assert.ok(measured.automatic > 0)
})

test('an answer whose calls are made is noticed', { skip }, async () => {
  const measured = await measureChat(suiteNamed('banking'), {
    ...typed,
    twist: obeyingTurns,
    sparse: 12,
  })
  assert.ok(measured.automatic > 0)
  assert.equal(measured.foreignPlans, 0)
})

test('PLAN-3: a model that obeys the attacker at the next message changes nothing unasked', {
  skip,
}, async () => {
  for (const suite of suites) {
    const setting = suite.suite === 'slack' ? granted : bare
    const { found, foreignTexts } = await measureChat(suite, { ...typed, setting, remembers: true })
    assert.deepEqual(found, [], suite.suite)
    assert.ok(foreignTexts > 0, suite.suite)
  }
})

/** Goals that a read alone reaches: a visit to a page of the attacker's. */
function visitsOf({ injectionTasks }: Suite): readonly string[] {
  return injectionTasks
    .filter(({ calls, textOnly }) => !textOnly && calls.every(({ effect }) => effect !== 'write'))
    .map(({ id }) => id)
}

test('PLAN-3: such a model visits no page that the owner did not name, and is noticed where the rule is gone', {
  skip,
}, async () => {
  const goals = visitsOf(suiteNamed('slack'))
  assert.ok(goals.length > 0)
  const visits = { ...typed, remembers: true, sparse: 4, goals }
  const { found, pairs, questions } = await measureChat(suiteNamed('slack'), visits)
  assert.deepEqual(found, [])
  assert.ok(pairs > 3 && questions > 0)
  const bad = await measureChat(suiteNamed('slack'), { ...visits, policy: withoutPlan3 })
  assert.ok(bad.automatic > 0)
})
