/** `forEach` nodes after a restart: the item that ended the node ends it again, and no new item begins. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CallFailure, callFailed } from '../../src/kernel/call-failure.ts'
import type { Json } from '../../src/text/json.ts'
import type { ToolResult } from '../../src/kernel/tool-call.ts'
import { addEffect, never, startOf, type TestTool, untilOver, untilState } from './engine-house.ts'
import { newPlace, openWithTools } from './engine-tools.ts'

/** A tool that records each item, then returns the result of `ends`, or success when `ends` gives none. */
function post(folder: string, ends: (id: number) => Promise<ToolResult> | undefined): TestTool {
  return {
    name: 'post',
    effect: 'write',
    args: { id: 'content' },
    async run({ args }) {
      addEffect(folder, `post ${JSON.stringify(args['id'])}`)
      return (await ends(Number(args['id']))) ?? { posted: true }
    },
  }
}

/** A tool that keeps the run going until its process ends. */
function hold(isHolding: () => boolean): TestTool {
  return {
    name: 'hold',
    effect: 'remote-read',
    async run(_call, signal) {
      if (isHolding()) await sleep(60_000, undefined, { signal }).catch(() => undefined)
      return null
    },
  }
}

function flow(count: number, atOnce: number): Json {
  const items = Array.from({ length: count }, (_, at) => at)
  const forEach = { items, max: count, parallel: true, max_concurrent: atOnce }
  const note = (id: string): Json => ({ id, type: 'box.note', params: { text: id } })
  return {
    nodes: [
      { id: 'each', type: 'box.post', forEach, params: { id: '${item}' } },
      note('missing'),
      note('forbidden'),
      { id: 'hold', type: 'box.hold' },
    ],
    edges: [
      { from: 'each', to: 'missing', action: 'resource_missing' },
      { from: 'each', to: 'forbidden', action: 'forbidden' },
      { from: 'missing', to: 'hold' },
      { from: 'forbidden', to: 'hold' },
    ],
  }
}

const failed = (code: CallFailure): Promise<ToolResult> =>
  Promise.resolve(callFailed(code, 'It failed'))
const MISSING = 'call.missing'
const FORBIDDEN = 'call.forbidden'

/** So many that a busy machine cannot begin them all before the end of the fourth is on disk. */
const MANY = 60

// Concurrent, because each house takes a while to shut down.
describe('items of a list', { concurrency: true }, () => {
  test('an item that never began does not begin when the run is taken up again', async () => {
    const folder = newPlace()
    let isHolding = true
    const ends = (id: number) => (id === 3 ? failed(MISSING) : undefined)
    const tools = [post(folder, ends), hold(() => isHolding)]
    const effects: string[] = []
    {
      await using house = await openWithTools({ folder }, tools)
      await house.flows.start(startOf('r', flow(MANY, 4)), never)
      await untilState(house.flows, 'r', ({ stepsDone }) => stepsDone > 0)
      await untilState(house.flows, 'r', () => house.effects().includes('note "missing"'))
      effects.push(...house.effects())
    }
    assert.ok(effects.length < MANY, `${effects.length} of ${MANY} items began`)
    isHolding = false
    await using house = await openWithTools({ folder }, tools)
    assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
    assert.deepEqual(house.effects(), effects)
  })

  test('of several items that end a node the first in the list does, whichever was quicker', async () => {
    const folder = newPlace()
    let isHolding = true
    const quick = Promise.withResolvers<void>()
    const ends = (id: number): Promise<ToolResult> | undefined => {
      if (id === 1) {
        quick.resolve()
        return failed(FORBIDDEN)
      }
      return quick.promise.then(async () => {
        await sleep(20)
        return await failed(MISSING)
      })
    }
    const tools = [post(folder, ends), hold(() => isHolding)]
    {
      await using house = await openWithTools({ folder }, tools)
      await house.flows.start(startOf('r', flow(2, 2)), never)
      await untilState(house.flows, 'r', () =>
        house.effects().some((one) => one.startsWith('note')),
      )
    }
    isHolding = false
    await using house = await openWithTools({ folder }, tools)
    assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
    const notes = house.effects().filter((one) => one.startsWith('note'))
    assert.deepEqual(notes, ['note "missing"'])
  })

  test('a write of which nobody knows is asked about before another item ends the node', async () => {
    const folder = newPlace()
    const ends = (id: number) => (id === 0 ? failed('call.timeout') : failed(MISSING))
    await using house = await openWithTools({ folder }, [post(folder, ends), hold(() => false)])
    await house.flows.start(startOf('r', flow(2, 2)), never)
    const asked = await untilState(house.flows, 'r', ({ question, state }) => {
      return question !== undefined || state === 'completed'
    })
    assert.equal(asked.state, 'asking')
    await house.flows.answer('r', asked.question?.id ?? '', 'done')
    assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
    assert.deepEqual([...house.effects()].sort(), ['note "missing"', 'post 0', 'post 1'])
  })

  test('a gap that a failed item leaves is for its server to answer for', async () => {
    const folder = newPlace()
    const ends = (id: number) => (id === 1 ? failed(MISSING) : undefined)
    await using house = await openWithTools({ folder }, [post(folder, ends)])
    const nodes = [
      {
        id: 'each',
        type: 'box.post',
        forEach: { items: [0, 1], error_handling: 'continue' },
        params: { id: '${item}' },
      },
      { id: 'note', type: 'box.note', params: { text: '${each.results[1]}' } },
    ]
    await house.flows.start(startOf('r', { nodes }), never)
    await untilOver(house.flows, 'r')
    const { steps } = await house.flows.show('r')
    const { shown, integrity, origins } = steps.at(-1)?.args[0] ?? assert.fail()
    assert.deepEqual([shown, integrity, origins], ['null', 'external', ['box']])
  })
})
