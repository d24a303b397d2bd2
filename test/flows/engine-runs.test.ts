/** Runs of the real engine over the real policy and approval queue: steps, questions, refusals, cached answers. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { callFailed } from '../../src/kernel/call-failure.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { Json } from '../../src/text/json.ts'
import { allow, openQuestion } from '../policy/approvals-house.ts'
import { never, startOf, type TestTool, untilOver } from './engine-house.ts'
import { newPlace, NOTE, openWithTools, READ } from './engine-tools.ts'

test('a run does its steps in order, and hands on what they gave', async () => {
  await using house = await openWithTools()
  const nodes = [
    READ,
    { id: 'last', type: 'last', params: { items: '${list.items}' } },
    { id: 'say', type: 'format', params: { template: 'About ${last.result.subject}' } },
    { id: 'note', type: 'box.note', params: { text: '${say.result}' } },
  ]
  const ir = { nodes, outputs: { said: { source: '${note.noted}' } } }
  await house.flows.start(startOf('r', ir), never)
  const run = await untilOver(house.flows, 'r')
  assert.deepEqual([run.state, run.stepsDone, run.problem], ['completed', 4, undefined])
  assert.deepEqual(house.effects(), ['note "About three"'])
  const { outputs, steps } = await house.flows.show('r')
  assert.deepEqual(outputs, { said: 'About three' })
  assert.deepEqual(
    steps.map(({ node, state }) => `${node} ${state}`),
    ['list done', 'last done', 'say done', 'note done'],
  )
  const [given] = steps[3]?.args ?? []
  assert.deepEqual(
    [given?.from, given?.integrity, given?.origins, given?.shown],
    ['${say.result}', 'external', ['box'], 'About three'],
  )
  assert.deepEqual(house.said, [])
})

test('starting twice is starting once, and an unsound flow does not start', async () => {
  await using house = await openWithTools()
  await house.flows.start(startOf('r', { nodes: [NOTE] }), never)
  await house.flows.start(startOf('r', { nodes: [NOTE] }), never)
  await untilOver(house.flows, 'r')
  assert.equal(house.effects().length, 1)
  await assert.rejects(
    house.flows.start(startOf('s', { nodes: [{ id: 'x', type: 'box.nothing' }] }), never),
    (error: unknown) => error instanceof CordonError && error.code === 'flows.unsound',
  )
  await assert.rejects(house.flows.show('s'), { code: 'flows.no-such-run' })
  const missing = { inputs: { text: { type: 'string' } }, nodes: [{ id: 'n', type: 'box.note' }] }
  await assert.rejects(house.flows.start(startOf('t', missing), never), {
    code: 'flows.missing-input',
  })
})

test('a guard skips a step, and an edge is taken by how a step ends', async () => {
  const failing: TestTool = {
    name: 'gone',
    effect: 'remote-read',
    run: () => callFailed('call.missing', 'Gone'),
  }
  await using house = await openWithTools({}, [failing])
  const ir = {
    nodes: [
      READ,
      { ...NOTE, id: 'skipped', when: { left: 1, op: 'eq', right: 2 } },
      { id: 'gone', type: 'box.gone' },
      { id: 'found', type: 'box.note', params: { text: 'found' } },
      { id: 'report', type: 'box.note', params: { text: '${list.items[0].subject}' } },
    ],
    edges: [
      { from: 'list', to: 'skipped' },
      { from: 'skipped', to: 'gone' },
      { from: 'gone', to: 'found' },
      { from: 'gone', to: 'report', action: 'resource_missing' },
    ],
  }
  await house.flows.start(startOf('r', ir), never)
  // `report` runs because a server failed, so untrusted data chose that step.
  const asked = await openQuestion(house.approvals)
  assert.equal(asked.items[0]?.rule, 'plan.external')
  await allow(house.approvals)
  const run = await untilOver(house.flows, 'r')
  assert.equal(run.state, 'completed', JSON.stringify(run))
  assert.deepEqual(house.effects(), ['note "one"'])
  const { steps } = await house.flows.show('r')
  assert.deepEqual(
    steps.map(({ node, state, action }) => [node, state, action]),
    [
      ['list', 'done', undefined],
      ['skipped', 'skipped', undefined],
      ['gone', 'done', 'resource_missing'],
      ['report', 'done', undefined],
    ],
  )
})

test('a read is tried again after a wait, a write is not', async () => {
  let reads = 0
  const busy: TestTool = {
    name: 'busy',
    effect: 'remote-read',
    run() {
      reads += 1
      return reads < 2 ? callFailed('call.rate-limited', 'Too fast') : { ok: true }
    },
  }
  const busyWrite: TestTool = {
    name: 'busy_write',
    effect: 'write',
    run: () => callFailed('call.rate-limited', 'Too fast'),
  }
  await using house = await openWithTools({}, [busy, busyWrite])
  const nodes = [
    { id: 'busy', type: 'box.busy' },
    { id: 'w', type: 'box.busy_write' },
  ]
  await house.flows.start(startOf('r', { nodes }), never)
  const run = await untilOver(house.flows, 'r')
  assert.equal(run.problem?.code, 'flows.rate-limited')
  assert.equal(
    run.problem?.message,
    'Box API rate limit exceeded. Please try again later. Too fast',
  )
  const { steps } = await house.flows.show('r')
  assert.deepEqual(
    steps.map(({ node, state, retries }) => [node, state, retries]),
    [
      ['busy', 'done', 1],
      ['w', 'failed', undefined],
    ],
  )
})

test('a call that is refused ends the run, and says by which rule', async () => {
  await using house = await openWithTools()
  const nodes = [
    READ,
    { id: 'send', type: 'box.send', params: { to: '${list.items[0].id}', text: 'x' } },
  ]
  await house.flows.start(startOf('r', { nodes }, { approval: 'never' }), never)
  const { problem, state } = await untilOver(house.flows, 'r')
  assert.deepEqual([state, problem?.code, problem?.node], ['failed', 'flows.refused', 'send'])
  assert.match(problem?.message ?? '', /approval\.needed/)
  assert.deepEqual(house.effects(), [])
})

test('items that have to be asked about are asked about together', async () => {
  await using house = await openWithTools()
  const each = {
    id: 'each',
    type: 'box.send',
    forEach: { items: '${list.items}', parallel: true },
    params: { to: '${item.id}', text: 'x' },
  }
  await house.flows.start(startOf('r', { nodes: [READ, each] }), never)
  const asked = await openQuestion(house.approvals)
  assert.equal(asked.items.length, 3)
  await allow(house.approvals)
  const run = await untilOver(house.flows, 'r')
  assert.equal(run.state, 'completed', JSON.stringify(run))
  assert.deepEqual([...house.effects()].sort(), ['send "m1"', 'send "m2"', 'send "m3"'])
  assert.equal((await house.approvals.list(true)).length, 1)
  const { outputs } = await house.flows.show('r')
  assert.deepEqual([outputs?.['count'], outputs?.['error_count']], [3, 0])
})

test('a list that is too long is refused before its first item, and errors may be counted', async () => {
  const odd: TestTool = {
    name: 'odd',
    effect: 'remote-read',
    args: { id: 'query' },
    run: ({ args }) =>
      args['id'] === 'm2'
        ? { kind: 'failed', reason: 'No such thing' }
        : { id: args['id'] ?? null },
  }
  await using house = await openWithTools({}, [odd])
  const each = (forEach: object): Json => ({
    nodes: [
      READ,
      {
        id: 'each',
        type: 'box.odd',
        forEach: { items: '${list.items}', ...forEach },
        params: { id: '${item.id}' },
      },
    ],
  })
  await house.flows.start(startOf('few', each({ max: 2 })), never)
  assert.equal((await untilOver(house.flows, 'few')).problem?.code, 'flows.too-many-items')
  await house.flows.start(startOf('fast', each({})), never)
  assert.equal((await untilOver(house.flows, 'fast')).problem?.code, 'flows.failed')
  await house.flows.start(startOf('on', each({ error_handling: 'continue' })), never)
  assert.equal((await untilOver(house.flows, 'on')).state, 'completed')
  const { outputs } = await house.flows.show('on')
  assert.deepEqual(outputs?.['results'], [{ id: 'm1' }, null, { id: 'm3' }])
  assert.deepEqual([outputs?.['success_count'], outputs?.['error_count']], [2, 1])
})

test('the answer of a trusted read is kept for the next run, and for no other labels, tool or account', async () => {
  let calls = 0
  const pure: TestTool = {
    name: 'pure',
    effect: 'remote-read',
    args: { q: 'query' },
    isReadOnly: true,
    run: () => ({ calls: ++calls }),
  }
  const folder = newPlace()
  const signedIn: { as: string | undefined } = { as: 'alice' }
  await using house = await openWithTools({ folder, rooms: { account: async () => signedIn.as } }, [
    pure,
  ])
  const ir = (q: string): Json => ({ nodes: [{ id: 'p', type: 'box.pure', params: { q } }] })
  const run = async (id: string, q: string, more: object = {}): Promise<boolean | undefined> => {
    await house.flows.start(startOf(id, ir(q), { trust: ['readonly'], ...more }), never)
    await untilOver(house.flows, id)
    return (await house.flows.show(id)).steps[0]?.wasCached
  }
  assert.equal(await run('a', 'x'), undefined)
  assert.equal(await run('b', 'x'), true)
  assert.equal(await run('c', 'y'), undefined)
  assert.equal(await run('d', 'x', { useCache: false }), undefined)
  assert.equal(await run('e', 'x', { trust: [] }), undefined)
  assert.equal(calls, 4)
  for (signedIn.as of ['bob', undefined]) assert.equal(await run(`${signedIn.as}`, 'x'), undefined)
  for (const name of readdirSync(path.join(folder, 'cache'))) {
    writeFileSync(path.join(folder, 'cache', name), '{ broken')
  }
  assert.equal(await run('f', 'x'), undefined)
})

test('a loop goes round as often as its edge allows', async () => {
  let times = 0
  const busy: TestTool = {
    name: 'busy',
    effect: 'remote-read',
    run: () => (++times < 3 ? { kind: 'failed', reason: 'Something odd' } : { ok: true }),
  }
  await using house = await openWithTools({}, [busy])
  const ir = {
    nodes: [
      READ,
      { id: 'busy', type: 'box.busy' },
      { id: 'f', type: 'format', params: { template: 'x' } },
    ],
    edges: [
      { from: 'list', to: 'busy' },
      { from: 'busy', to: 'f' },
      { from: 'busy', to: 'list', action: 'error', max: 2 },
    ],
  }
  await house.flows.start(startOf('r', ir), never)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  const { steps } = await house.flows.show('r')
  assert.deepEqual(
    steps.map(({ node, round, action }) => [node, round ?? 1, action]),
    [
      ['list', 1, undefined],
      ['busy', 1, 'error'],
      ['list', 2, undefined],
      ['busy', 2, 'error'],
      ['list', 3, undefined],
      ['busy', 3, undefined],
      ['f', 1, undefined],
    ],
  )
})

test('a server that cannot be used keeps a run from starting', async () => {
  const problem = { code: 'x', message: 'Box has no token', hint: 'Set one. Then look' }
  await using house = await openWithTools({ rooms: { readiness: async () => problem } })
  await assert.rejects(house.flows.start(startOf('r', { nodes: [NOTE] }), never), {
    code: 'flows.not-ready',
    message: 'Cannot start the flow: Box has no token',
    hint: 'Set one. Then look, then start the flow again',
  })
})

test('more runs than places are worked on one after the other, and those that wait take no place', async () => {
  await using house = await openWithTools()
  const asking = [
    READ,
    { id: 'send', type: 'box.send', params: { to: '${list.items[0].id}', text: 'x' } },
  ]
  for (let at = 0; at < 5; at += 1) {
    await house.flows.start(startOf(`a${at}`, { nodes: asking }), never)
  }
  for (let at = 0; at < 30; at += 1) {
    await house.flows.start(startOf(`r${at}`, { nodes: [READ, NOTE] }), never)
  }
  for (let at = 0; at < 30; at += 1) {
    assert.equal((await untilOver(house.flows, `r${at}`)).state, 'completed')
  }
  assert.equal((await house.flows.runs({ limit: 100, state: 'completed' })).length, 30)
  assert.equal((await house.flows.runs({ limit: 3 })).length, 3)
  await Promise.all(Array.from({ length: 5 }, (_, at) => house.flows.cancel(`a${at}`)))
})
