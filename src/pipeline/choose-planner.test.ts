import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Planned, Planner, PlanRequest } from './plan-port.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { never } from '../kernel/test-never.ts'
import type { ToolCard } from '../ports/tool-view.ts'
import type { Json } from '../text/json.ts'
import { choosePlanner } from './choose-planner.ts'

const search = { id: { server: parseServerId('notion'), name: 'search' } }
const request: PlanRequest = { words: 'search notion', handles: [], now: 0, timezone: 'UTC' }

/** A model's planner: an empty plan for a value that is one, and none for anything else. */
function modelOf(value: Json): Planner {
  const isPlan = typeof value === 'object' && value !== null
  const planned: Planned = isPlan
    ? { kind: 'plan', plan: { steps: [] } }
    : { kind: 'unable', reason: 'The model did not give a plan.', near: [] }
  return { plan: async () => planned, answer: async () => undefined }
}

suite('the planner of a turn', () => {
  test('without a model, and where the model gives no plan, the offline planner plans', async () => {
    const offline: Planned = { kind: 'plan', plan: { steps: [{ tool: search.id, args: {} }] } }
    const by = (hasModel: boolean, value: Json) =>
      choosePlanner({
        offline: { plan: async () => offline, answer: async () => undefined },
        model: modelOf(value),
        hasModel: async () => hasModel,
      }).plan(request, never)
    assert.deepEqual(await by(false, { plan: [] }), offline)
    assert.deepEqual(await by(true, 'prose'), offline)
    assert.deepEqual(await by(true, { plan: [] }), { kind: 'plan', plan: { steps: [] } })
  })

  test('the offline planner never makes a further plan: it would begin anew', async () => {
    const planner = choosePlanner({
      offline: { plan: () => assert.fail('asked'), answer: async () => undefined },
      model: modelOf('prose'),
      hasModel: async () => true,
    })
    const planned = await planner.plan({ ...request, rounds: [{ steps: [] }] }, never)
    assert.equal(planned.kind, 'unable')
  })

  test('without a model, work on a text is said to need one, unless a tool does it', async () => {
    const words = 'find Python files with TODO and sum them up'
    const by = (planned: Planned) =>
      choosePlanner({
        offline: { plan: async () => planned, answer: async () => undefined },
        model: modelOf(null),
        hasModel: async () => false,
      }).plan({ ...request, words }, never)
    const none = await by({ kind: 'unable', reason: 'I can’t plan that', near: [] })
    assert.match(none.kind === 'unable' ? none.reason : '', /needs a model .*cordon profiles add/)
    const tool: Planned = { kind: 'plan', plan: { steps: [{ tool: search.id, args: {} }] } }
    assert.deepEqual(await by(tool), tool)
  })

  test('without a model, an unknown request is answered with where to look', async () => {
    const unable = (near: readonly ToolCard['id'][]): Planned => ({
      kind: 'unable',
      reason: 'No.',
      near,
    })
    const reasonOf = async (planned: Planned) => {
      const offline = { plan: async () => planned, answer: async () => undefined }
      const said = await choosePlanner({
        offline,
        model: offline,
        hasModel: async () => false,
      }).plan(request, never)
      return said.kind === 'unable' ? said.reason : ''
    }
    assert.equal(await reasonOf(unable([])), 'No. `help` shows what I understand.')
    assert.equal(await reasonOf(unable([search.id])), 'No.')
  })
})
