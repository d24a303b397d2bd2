/** Long loops end with a reason, and the process still answers other requests while they run. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Json, JsonObject } from '../../src/text/json.ts'
import { onlyInFull } from '../../src/kernel/test-rounds.ts'
import { never, startOf, untilOver } from './engine-house.ts'
import { newPlace, openWithTools } from './engine-tools.ts'

/** A loop over all nodes, at most `max` rounds; one round has as many steps as there are nodes. */
function ring(nodes: readonly JsonObject[], max: number): Json {
  const edges = nodes.map(({ id }, at) => {
    const isLast = at === nodes.length - 1
    return { from: id, to: nodes[(at + 1) % nodes.length]?.['id'], ...(isLast && { max }) }
  })
  return { nodes, edges } as Json
}

function formats(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, at) => {
    return { id: `n${at}`, type: 'format', params: { template: `${at}` } }
  })
}

test('a loop whose bound stands on the edge that leads on is refused, and the edge that leads back is named', async () => {
  await using house = await openWithTools()
  const [a, b] = formats(2)
  const ir = {
    nodes: [a, b],
    edges: [
      { from: 'n0', to: 'n1', max: 2 },
      { from: 'n1', to: 'n0' },
    ],
  } as Json
  const { isSound, findings } = await house.flows.check({ kind: 'ir', ir }, [], never)
  assert.equal(isSound, false)
  assert.deepEqual(
    findings.map(({ code, place, message }) => [code, place, message]),
    [['edge.cycle', 'edges[1]', 'The edge "n1" → "n0" leads back and has no `max`']],
  )
  await assert.rejects(house.flows.start(startOf('r', ir), never), { code: 'flows.unsound' })
})

/** A log of 16 MB, and the last write before its checkpoint. */
const MOST_LOG = 20_000_000

test(
  'a run ends after ten thousand steps, and its story and its file stay whole',
  onlyInFull,
  async () => {
    const folder = newPlace()
    await using house = await openWithTools({ folder })
    await house.flows.start(startOf('r', ring(formats(110), 100)), never)
    const { state, problem, stepsDone } = await untilOver(house.flows, 'r')
    assert.deepEqual([state, problem?.code, stepsDone], ['failed', 'flows.too-many-steps', 10_000])
    assert.match(problem?.message ?? '', /10000 steps at most/)
    assert.match(problem?.hint ?? '', /"max" of its loops/)
    const { steps, problem: shown } = await house.flows.show('r')
    assert.deepEqual([steps.length, shown], [10_000, problem])
    assert.deepEqual([steps.at(-1)?.node, steps.at(-1)?.round], ['n99', 91])
    // SQLite checkpoints the write-ahead log at 16 MB; without checkpoints the log would be many times as large.
    assert.ok(statSync(path.join(folder, 'runs.db-wal')).size < MOST_LOG)
    assert.deepEqual(house.said, [])
  },
)

test('calls let the file of changes be checkpointed as well', async () => {
  const folder = newPlace()
  const big = { name: 'big', effect: 'remote-read', run: () => 'x'.repeat(100_000) } as const
  await using house = await openWithTools({ folder }, [big])
  const nodes = Array.from({ length: 300 }, (_, at) => ({ id: `n${at}`, type: 'box.big' }))
  await house.flows.start(startOf('r', { nodes }), never)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  assert.ok(statSync(path.join(folder, 'runs.db-wal')).size < MOST_LOG)
})

test('the event loop has its turns while a loop runs, and what has run is shown', async () => {
  await using house = await openWithTools()
  await house.flows.start(startOf('r', ring(formats(50), 100)), never)
  let turns = 0
  let before = 0
  for (;;) {
    await nextTurn()
    const { run } = await house.flows.follow('r', Number.MAX_SAFE_INTEGER, AbortSignal.abort())
    if (run.state !== 'running') break
    if (run.stepsDone === before) continue
    if (turns === 0) assert.ok((await house.flows.show('r')).steps.length >= run.stepsDone)
    turns += 1
    before = run.stepsDone
  }
  assert.ok(turns > 1, `${turns} turns`)
})

test('a list of pure items gives the event loop its turns too', async () => {
  await using house = await openWithTools()
  const rows = Array.from({ length: 1000 }, (_, at) => ({ id: at }))
  const each = { items: rows, max: 1000 }
  const node = { id: 'n', type: 'argmax', forEach: each, params: { items: rows, by: 'id' } }
  await house.flows.start(startOf('r', { nodes: [node] }), never)
  let turns = 0
  const counting = setInterval(() => {
    turns += 1
  }, 1)
  const { state } = await untilOver(house.flows, 'r')
  clearInterval(counting)
  assert.equal(state, 'completed')
  assert.ok(turns > 1, `${turns} turns`)
})

test('a loop can be cancelled while it runs', async () => {
  await using house = await openWithTools()
  await house.flows.start(startOf('r', ring(formats(90), 100)), never)
  do await nextTurn()
  while ((await house.flows.show('r')).stepsDone === 0)
  const { state, stepsDone } = await house.flows.cancel('r')
  assert.equal(state, 'cancelled')
  assert.ok(stepsDone < 9000)
  await nextTurn()
  assert.equal((await house.flows.show('r')).stepsDone, stepsDone)
})

test('the budgets of steps and calls are settings, and a run that reaches one says so', async () => {
  const calls: string[] = []
  const count = {
    name: 'count',
    effect: 'remote-read',
    run() {
      calls.push('')
      return null
    },
  } as const
  const settings = { max_steps: 5, max_calls: 3 }
  await using house = await openWithTools({ rooms: { settings } }, [count])
  await house.flows.start(startOf('steps', ring(formats(2), 9)), never)
  const { problem, stepsDone } = await untilOver(house.flows, 'steps')
  assert.deepEqual([problem?.code, stepsDone], ['flows.too-many-steps', 5])
  assert.match(problem?.message ?? '', /5 steps at most/)
  const forEach = { items: [1, 2, 3, 4, 5], max: 10 }
  const ir = { nodes: [{ id: 'n', type: 'box.count', forEach }] }
  await house.flows.start(startOf('calls', ir), never)
  const ended = await untilOver(house.flows, 'calls')
  assert.deepEqual([ended.state, ended.problem?.code], ['failed', 'flows.too-many-calls'])
  assert.equal(calls.length, 3)
})
