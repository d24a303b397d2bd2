/** Non-interactive runs within a template: each step obeys the template as it is then, not as it was at the start. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callFailed } from '../../src/kernel/call-failure.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { FlowProblem } from '../../src/ports/flow-port.ts'
import { parsePrincipalId, type Principal } from '../../src/kernel/principal.ts'
import type { Template } from '../../src/kernel/tool-call.ts'
import { never, startOf, type TestTool, untilOver, untilState } from './engine-house.ts'
import { newPlace, NOTE, openWithTools } from './engine-tools.ts'

const CRON: Principal = { kind: 'cron', id: parsePrincipalId('principal:cron:digest') }
const TEMPLATE: Template = {
  name: 'nightly',
  allowed: ['box.*'],
  denied: [],
  maxCalls: 5,
  ceiling: 'internal',
  sinks: ['sink:owner'],
  asksForWrites: false,
}

/** Starts a run under TEMPLATE, then resumes it in a second house with another template; returns the outcome. */
async function takenUp(template: () => Promise<Template | undefined>): Promise<{
  readonly problem: FlowProblem | undefined
  readonly effects: readonly string[]
}> {
  const folder = newPlace()
  let isHolding = true
  const hold: TestTool = {
    name: 'hold',
    effect: 'remote-read',
    async run(_call, signal) {
      if (isHolding) await sleep(60_000, undefined, { signal }).catch(() => undefined)
      return null
    },
  }
  const nodes = [{ ...NOTE, id: 'before' }, { id: 'hold', type: 'box.hold' }, NOTE]
  const rooms = { template: async () => TEMPLATE }
  {
    await using house = await openWithTools({ folder, rooms }, [hold])
    const more = { principal: CRON, template: 'nightly' }
    await house.flows.save('digest', { kind: 'ir', ir: { nodes } }, false)
    const source = { kind: 'saved', name: 'digest' } as const
    await house.flows.start(startOf('r', {}, { ...more, source }), never)
    await untilState(house.flows, 'r', ({ stepsDone }) => stepsDone === 1)
  }
  isHolding = false
  await using house = await openWithTools({ folder, rooms: { template } }, [hold])
  const { problem } = await untilOver(house.flows, 'r')
  return { problem, effects: house.effects() }
}

// Concurrent, because each house takes a while to shut down.
describe('within a template', { concurrency: true }, () => {
  test('it goes on within the same limits', async () => {
    const { problem, effects } = await takenUp(async () => TEMPLATE)
    assert.deepEqual([problem, effects.length], [undefined, 2])
  })

  test('what its owner took out of the template since is refused', async () => {
    const { problem, effects } = await takenUp(async () => ({ ...TEMPLATE, denied: ['box.note'] }))
    assert.match(problem?.message ?? '', /nightly may not use box\.note \(template\.tool\)/)
    assert.equal(effects.length, 1)
  })

  test('without the template, or with one that is not understood, it ends', async () => {
    const gone = await takenUp(async () => undefined)
    assert.deepEqual([gone.problem?.code, gone.effects.length], ['flows.no-template', 1])
    const odd = await takenUp(async () => {
      throw new CordonError('policy.template', { exit: 2, hint: 'Correct it' }, 'Cannot read it')
    })
    assert.deepEqual([odd.problem?.code, odd.effects.length], ['policy.template', 1])
  })

  test('a call that is made again counts as another call', async () => {
    let calls = 0
    const busy: TestTool = {
      name: 'busy',
      effect: 'remote-read',
      run() {
        calls += 1
        return callFailed('call.rate-limited', 'Too fast')
      },
    }
    const rooms = { template: async () => ({ ...TEMPLATE, maxCalls: 2 }) }
    await using house = await openWithTools({ rooms }, [busy])
    const ir = { nodes: [{ id: 'busy', type: 'box.busy' }] }
    await house.flows.save('busy', { kind: 'ir', ir }, false)
    const source = { kind: 'saved', name: 'busy' } as const
    const start = startOf('r', {}, { principal: CRON, template: 'nightly', source })
    await house.flows.start(start, never)
    const { problem } = await untilOver(house.flows, 'r')
    assert.equal(calls, 2)
    assert.match(problem?.message ?? '', /template\.budget/)
  })
})
