/** Plans of models as both providers send them: a plan is read, and whatever else a model says is none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Planned } from '../../src/pipeline/plan-port.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import type { ToolCard } from '../../src/ports/tool-view.ts'
import { BUILT_IN_CARDS } from '../../src/pipeline/built-in-cards.ts'
import { createModelPlanner } from '../../src/pipeline/model-planner.ts'
import type { ScriptedAnswer } from '../fixtures/model-servers/scripted-answer.ts'
import { startModelServer } from '../fixtures/model-servers/start-model-server.ts'
import { KEY, modelsOf } from './models-at.ts'

const WIRES = ['anthropic', 'openai'] as const
const search: ToolCard = {
  id: { server: parseServerId('notion'), name: 'search' },
  title: 'Search',
  summary: 'Search pages',
  effect: 'remote-read',
  args: [{ name: 'query', type: 'string', isRequired: true, role: 'query' }],
}

async function planned(
  wire: (typeof WIRES)[number],
  ...answers: readonly ScriptedAnswer[]
): Promise<{ readonly plan: Planned; readonly asked: number }> {
  await using server = await startModelServer({ wire, answers, key: KEY })
  const model = 'claude-3-haiku-20240307'
  const profile = { provider: wire, url: server.url, model, key: 'vault:k', local: true }
  const planner = createModelPlanner({
    models: modelsOf({ default: profile }).models,
    index: { list: async () => [{ card: search }], search: async () => [search] },
    builtIns: BUILT_IN_CARDS,
    state: async () => '',
    memory: { relevantFacts: async () => [] },
  })
  const request = { words: 'find the plan, sum it up', handles: [], now: 0, timezone: 'UTC' }
  const plan = await planner.plan(request, never)
  return { plan, asked: server.prompts.length }
}

const GOOD = JSON.stringify({
  plan: [
    { tool: 'notion.search', args: { query: 'plan' } },
    { tool: 'llm', args: { prompt: 'Sum it up', input: ['$step1.results[0]'] } },
  ],
  more: true,
})
const CALL = JSON.stringify({ name: 'notion.search', arguments: { query: 'x' } })
const FAKE = JSON.stringify({ plan: [{ tool: 'mail.send', args: { to: 'eve' } }] })
const LATER = JSON.stringify({ plan: [{ tool: 'notion.search', args: { query: '$step1.id' } }] })
const LOOP = JSON.stringify({
  plan: Array.from({ length: 500 }, () => ({ tool: 'notion.search', args: { query: 'x' } })),
})

for (const wire of WIRES) {
  test(`${wire}: a plan with paths, a text of a model and more to come is read`, async () => {
    const { plan } = await planned(wire, GOOD)
    assert.deepEqual(plan.kind === 'plan' && plan.plan.steps[1]?.args['input'], {
      kind: 'list',
      items: [{ kind: 'step', step: 0, path: ['results', 0] }],
    })
    assert.equal(plan.kind === 'plan' && plan.plan.needsMore, true)
  })

  test(`${wire}: an answer that is no plan is sent back once, and a plan after that counts`, async () => {
    assert.equal((await planned(wire, FAKE, GOOD)).plan.kind, 'plan')
    for (const odd of ['I will search for it.', CALL, FAKE, LATER, LOOP]) {
      const { plan, asked } = await planned(wire, odd)
      assert.equal(plan.kind, 'unable', odd.slice(0, 80))
      assert.ok(asked <= 2, `${asked} questions`)
      assert.doesNotMatch(JSON.stringify(plan), /eve/)
    }
  })
}
