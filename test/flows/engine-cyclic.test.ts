/**
 * Random cyclic flows on the shipped engine: every flow that the check accepts comes to an end, within the step budget and
 * the call budget of a run. Half of the nodes call a tool that fails at random, so that error edges are taken too.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import type { Json } from '../../src/text/json.ts'
import { type EngineHouse, never, openEngineHouse, startOf, untilOver } from './engine-house.ts'
import { newPlace } from './engine-tools.ts'

const GRAPHS: number = rounds(10_000, 400)
/** Low, so that many of the flows would need more; the sum of all `max` of a graph is often higher. */
const MAX_STEPS = 25
const MAX_CALLS = 15
const LANES = 20
const ACTIONS = ['default', 'default', 'default', 'error']

/** A small linear congruential generator: the same flows in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Up to six nodes in a ring, so that there is a cycle, and up to six more edges; nine of ten that lead back have a `max`. */
function randomFlow(random: (below: number) => number): Json {
  const count = 2 + random(5)
  const nodes = Array.from({ length: count }, (_, at) =>
    random(2) === 0
      ? { id: `n${at}`, type: 'format', params: { template: 'x' } }
      : { id: `n${at}`, type: 'box.turn' },
  )
  const edge = (from: number, to: number): Json => ({
    from: `n${from}`,
    to: `n${to}`,
    action: ACTIONS[random(ACTIONS.length)] ?? 'default',
    ...(random(10) < (to <= from ? 9 : 3) && { max: 1 + random(9) }),
  })
  const ring = nodes.map((_, at) => edge(at, (at + 1) % count))
  const more = Array.from({ length: random(6) }, () => edge(random(count), random(count)))
  return { nodes, edges: [...ring, ...more] }
}

async function isAccepted(house: EngineHouse, id: string, ir: Json): Promise<boolean> {
  try {
    await house.flows.start(startOf(id, ir), never)
    return true
  } catch (error) {
    assert.ok(error instanceof CordonError && error.code === 'flows.unsound', String(error))
    return false
  }
}

test('no cyclic flow that the check accepts runs longer than its budget on the engine', async (context) => {
  const random = createRandom(19)
  const turn = {
    name: 'turn',
    effect: 'remote-read',
    run: () => (random(4) === 0 ? ({ kind: 'failed', reason: 'no' } as const) : { ok: 1 }),
  } as const
  const settings = { max_steps: MAX_STEPS, max_calls: MAX_CALLS }
  await using house = await openEngineHouse({
    folder: newPlace(),
    tools: [turn],
    rooms: { settings },
  })
  const flows = Array.from({ length: GRAPHS }, () => randomFlow(random))
  const ends = new Map<string, number>()
  let longest = 0
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < GRAPHS; at = next++) {
      const id = `r${at}`
      if (!(await isAccepted(house, id, flows[at] ?? null))) continue
      const { state, problem, stepsDone } = await untilOver(house.flows, id)
      longest = Math.max(longest, stepsDone)
      const end = problem?.code ?? state
      ends.set(end, (ends.get(end) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const told = [...ends].map(([end, count]) => `${count} ${end}`).join(', ')
  context.diagnostic(`${GRAPHS} graphs; accepted: ${told}; ${longest} steps at most`)
  assert.ok(longest <= MAX_STEPS)
  assert.ok((ends.get('flows.too-many-steps') ?? 0) > 0, 'no flow reached the step budget')
  assert.ok((ends.get('completed') ?? 0) > GRAPHS / 50)
})
