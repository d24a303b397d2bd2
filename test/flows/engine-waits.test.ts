/** Runs that wait, stop and resume: in another process, after a question, after a failure, or never. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callFailed } from '../../src/kernel/call-failure.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Json } from '../../src/text/json.ts'
import { allow, openQuestion } from '../policy/approvals-house.ts'
import { addEffect, never, startOf, type TestTool, untilOver, untilState } from './engine-house.ts'
import { newPlace, NOTE, openWithTools, READ, toolsOf } from './engine-tools.ts'

test('a question is found again after a restart, with its answer', async () => {
  const folder = newPlace()
  const nodes = [
    READ,
    { id: 'send', type: 'box.send', params: { to: '${list.items[0].id}', text: 'x' } },
  ]
  {
    await using house = await openWithTools({ folder })
    await house.flows.start(startOf('r', { nodes }), never)
    const asked = await openQuestion(house.approvals)
    assert.equal(asked.taskId, 'r')
    const run = await untilState(house.flows, 'r', ({ state }) => state === 'asking')
    assert.equal(run.question, undefined)
    const { events } = await house.flows.follow('r', 0, never)
    const asks = events.find(({ kind }) => kind === 'asks')
    assert.equal(asks?.callId, asked.items[0]?.callId)
  }
  await using house = await openWithTools({ folder })
  await allow(house.approvals)
  const run = await untilOver(house.flows, 'r')
  assert.equal(run.state, 'completed', JSON.stringify(run))
  assert.deepEqual(house.effects(), ['send "m1"'])
  assert.equal(house.approvals && (await house.approvals.list(true)).length, 1)
})

/** A tool whose first call lasts until it is aborted. */
function slowTool(): { slow: TestTool; began: Promise<void>; stopped: Promise<void> } {
  const began = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  let calls = 0
  const slow: TestTool = {
    name: 'slow',
    effect: 'remote-read',
    async run(_call, signal) {
      calls += 1
      began.resolve()
      if (calls === 1) await once(signal, 'abort').then(() => stopped.resolve())
      return 'later'
    },
  }
  return { slow, began: began.promise, stopped: stopped.promise }
}

test('labels come through a restart: what was foreign stays foreign', async () => {
  const folder = newPlace()
  const { slow, began } = slowTool()
  const nodes = [
    READ,
    { id: 'slow', type: 'box.slow' },
    { id: 'send', type: 'box.send', params: { to: '${list.items[1].id}' } },
  ]
  {
    await using house = await openWithTools({ folder }, [slow])
    await house.flows.start(startOf('r', { nodes }), never)
    await began
  }
  await using house = await openWithTools({ folder }, [slow])
  const asked = await openQuestion(house.approvals)
  assert.equal(asked.items[0]?.rule, 'target.external')
  const label = asked.items[0]?.labels['to'] as { readonly label?: Json; readonly from?: Json }
  assert.deepEqual(label.label, { integrity: 'external', level: 'internal', origins: ['box'] })
  assert.deepEqual(label.from, { kind: 'tool', server: 'box', tool: 'list', callId: 'r/list/1' })
  assert.equal((await house.flows.cancel('r')).state, 'cancelled')
})

test('a run that is cancelled stops what it does, and stays so', async () => {
  const folder = newPlace()
  const { slow, began, stopped } = slowTool()
  {
    await using house = await openWithTools({ folder }, [slow])
    await house.flows.start(
      startOf('r', { nodes: [{ id: 'slow', type: 'box.slow' }, NOTE] }),
      never,
    )
    await began
    assert.equal((await house.flows.cancel('r')).state, 'cancelled')
    await stopped
    assert.deepEqual(house.said, [])
  }
  await using house = await openWithTools({ folder }, [slow])
  await sleep(100)
  assert.equal((await house.flows.show('r')).state, 'cancelled')
  assert.deepEqual(house.effects(), [])
})

/** A write that times out the first time, so its outcome is unknown. */
function unsure(folder: string): TestTool {
  let times = 0
  return {
    name: 'unsure',
    effect: 'write',
    args: { text: 'content' },
    run() {
      times += 1
      addEffect(folder, `unsure ${times}`)
      return times === 1 ? callFailed('call.timeout', 'It took too long') : { sent: times }
    },
  }
}

const UNSURE = {
  nodes: [
    { id: 'u', type: 'box.unsure', params: { text: 'pay' } },
    { ...NOTE, params: { text: 'after' } },
  ],
}

for (const [choice, state, effects] of [
  ['retry', 'completed', ['unsure 1', 'unsure 2', 'note "after"']],
  ['done', 'completed', ['unsure 1', 'note "after"']],
  ['fail', 'failed', ['unsure 1']],
] as const) {
  test(`a write of which nobody knows is asked about, through a restart, and "${choice}" is done`, async () => {
    const folder = newPlace()
    const tool = unsure(folder)
    {
      await using house = await openWithTools({ folder }, [tool])
      await house.flows.start(startOf('r', UNSURE), never)
      const { question } = await untilState(house.flows, 'r', (run) => run.question !== undefined)
      assert.deepEqual(question?.choices, ['retry', 'done', 'fail'])
      assert.match(
        question?.text ?? '',
        /^u was sent to box\.unsure \(Box\) at .* with text: pay\./,
      )
    }
    await using house = await openWithTools({ folder }, [tool])
    const { question, state: waits } = await house.flows.show('r')
    assert.equal(waits, 'asking')
    const id = question?.id ?? ''
    await assert.rejects(house.flows.answer('r', id, 'perhaps'), { code: 'flows.bad-choice' })
    await house.flows.answer('r', id, choice, choice === 'done' ? { sent: 'by hand' } : undefined)
    const run = await untilOver(house.flows, 'r')
    assert.equal(run.state, state, JSON.stringify(run))
    assert.deepEqual(house.effects(), effects)
    await assert.rejects(house.flows.answer('r', id, choice), { code: 'flows.not-asked' })
  })
}

test('a run that failed goes on from where it failed when its owner says so', async () => {
  let isDown = true
  const shaky: TestTool = {
    name: 'shaky',
    effect: 'write',
    run: () =>
      isDown
        ? callFailed('call.unavailable', 'Server "box" is not available: it exited')
        : { ok: true },
  }
  await using house = await openWithTools({}, [shaky])
  await house.flows.start(startOf('r', { nodes: [NOTE, { id: 's', type: 'box.shaky' }] }), never)
  assert.equal((await untilOver(house.flows, 'r')).problem?.code, 'flows.unavailable')
  isDown = false
  await house.flows.answer('r', 'resume', 'retry')
  const run = await untilOver(house.flows, 'r')
  assert.deepEqual([run.state, run.problem], ['completed', undefined])
  assert.deepEqual(house.effects(), ['note "hello"'])
  const { steps } = await house.flows.show('r')
  assert.deepEqual(
    steps.map(({ node, state, retries }) => [node, state, retries]),
    [
      ['note', 'done', undefined],
      ['s', 'done', 1],
    ],
  )
})

test('FLOW-2: a tool that changed since the run began is not called', async () => {
  const folder = newPlace()
  const { slow, began } = slowTool()
  const nodes = [{ id: 'slow', type: 'box.slow' }, NOTE]
  {
    await using house = await openWithTools({ folder }, [slow])
    await house.flows.start(startOf('r', { nodes }), never)
    await began
  }
  const changed = toolsOf(folder, [slow]).map((tool) =>
    tool.name === 'note' ? { ...tool, hash: 'other' } : tool,
  )
  await using house = await openWithTools({ folder, tools: changed })
  const { problem } = await untilOver(house.flows, 'r')
  assert.equal(problem?.code, 'flows.pin-changed')
  assert.deepEqual(house.effects(), [])
})

test('a long wait puts the run aside, and it goes on when its time comes', async () => {
  const times: number[] = []
  const busy: TestTool = {
    name: 'busy',
    effect: 'remote-read',
    run() {
      times.push(Date.now())
      return times.length === 1
        ? { ...callFailed('call.rate-limited', 'Too fast'), retryAfterSeconds: 5 }
        : { ok: true }
    },
  }
  const folder = newPlace()
  {
    await using house = await openWithTools({ folder }, [busy])
    await house.flows.start(startOf('r', { nodes: [{ id: 'busy', type: 'box.busy' }] }), never)
    await untilState(house.flows, 'r', () => times.length === 1)
  }
  await using house = await openWithTools({ folder }, [busy])
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  const [first = 0, second = 0, ...others] = times
  assert.deepEqual(others, [])
  assert.ok(second - first > 4000, 'not before it was asked to come again')
})

test('without the plan, calls that are sure to come are asked about in one question, before the first of them', async () => {
  const folder = newPlace()
  const remove: TestTool = {
    name: 'remove',
    effect: 'destructive',
    args: { id: 'target' },
    run({ args }) {
      addEffect(folder, `remove ${JSON.stringify(args['id'])}`)
      return { removed: true }
    },
  }
  await using house = await openWithTools({ folder }, [remove])
  const node = (id: string, more: object = {}): Json => ({
    id,
    type: 'box.remove',
    params: { id },
    ...more,
  })
  const nodes = [
    node('a'),
    READ,
    node('b', { params: { id: '${given}' } }),
    node('c', { params: { id: '${list.items[0].id}' } }),
    node('d', { when: { left: 1, op: 'eq', right: 2 } }),
  ]
  await house.flows.start(startOf('r', { nodes }, { inputs: { given: 'x' } }), never)
  const plan = await openQuestion(house.approvals)
  assert.equal(plan.items[0]?.plan?.steps.length, 4)
  await house.approvals.answer({ id: plan.id, allow: [], by: OWNER.id }, 'terminal')
  const first = await openQuestion(house.approvals)
  assert.deepEqual(
    first.items.map(({ args }) => args['id']),
    ['a', 'x'],
  )
  assert.deepEqual(house.effects(), [])
  await allow(house.approvals)
  const second = await openQuestion(house.approvals)
  assert.deepEqual(
    second.items.map(({ args }) => args['id']),
    ['m1'],
  )
  assert.deepEqual(house.effects(), ['remove "a"', 'remove "x"'])
  await allow(house.approvals)
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  assert.deepEqual(house.effects(), ['remove "a"', 'remove "x"', 'remove "m1"'])
  assert.equal((await house.approvals.list(true)).length, 3)
})

test('a write whose record could not be closed may have been done, so it is asked about', async () => {
  const folder = newPlace()
  const thrown: TestTool = {
    name: 'thrown',
    effect: 'write',
    run() {
      addEffect(folder, 'thrown')
      throw new CordonError(
        'audit.write-failed',
        { exit: 5, hint: 'Free some space' },
        'Cannot write',
      )
    },
  }
  await using house = await openWithTools({ folder }, [thrown])
  await house.flows.start(startOf('r', { nodes: [{ id: 't', type: 'box.thrown' }] }), never)
  const { question } = await untilState(house.flows, 'r', (run) => run.question !== undefined)
  await house.flows.answer('r', question?.id ?? '', 'done')
  assert.equal((await untilOver(house.flows, 'r')).state, 'completed')
  assert.deepEqual(house.effects(), ['thrown'])
})
