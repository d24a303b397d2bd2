/** The labels foreseen for a flow hold in its run, and a step that untrusted data chose is judged as such. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../src/text/json.ts'
import { INTEGRITIES, LEVELS } from '../../src/labels/label.ts'
import type { CallRequest } from '../../src/kernel/tool-call.ts'
import { never, startOf, type TestTool, untilOver } from './engine-house.ts'
import { newPlace, NOTE, openWithTools, READ, toolsOf } from './engine-tools.ts'

const SHAKY: TestTool = {
  name: 'shaky',
  effect: 'remote-read',
  run: () => ({ kind: 'failed', reason: 'Something odd' }),
}

const ONE = { left: '${list.items[0].subject}', op: 'eq', right: 'one' }

const FLOWS: Readonly<Record<string, Json>> = {
  'what a server gave is handed on': {
    nodes: [
      READ,
      { id: 'pick', type: 'argmax', params: { items: '${list.items}', by: 'subject' } },
      { id: 'note', type: 'box.note', params: { text: 'About ${pick.result.subject}' } },
    ],
  },
  'a guard looks at what a server gave': {
    nodes: [READ, { ...NOTE, when: ONE }, { ...NOTE, id: 'later' }],
  },
  'an edge is taken because a server failed': {
    nodes: [
      { id: 'shaky', type: 'box.shaky' },
      { ...NOTE, id: 'fine' },
      { ...NOTE, id: 'report' },
    ],
    edges: [
      { from: 'shaky', to: 'fine' },
      { from: 'shaky', to: 'report', action: 'error' },
    ],
  },
  'a list is gone through': {
    nodes: [
      READ,
      {
        id: 'each',
        type: 'box.note',
        forEach: { items: '${list.items}' },
        params: { text: '${item.subject}' },
      },
    ],
  },
  'a guard looks whether a guarded step ran': {
    nodes: [
      READ,
      { id: 'yes', type: 'format', params: { template: 'yes' }, when: ONE },
      { ...NOTE, when: { left: '${yes.result}', op: 'exists', right: true } },
    ],
  },
  'a guard looks at a key that a guarded step may have written': {
    nodes: [
      READ,
      { id: 'no', type: 'format', params: { template: 'no' } },
      { id: 'yes', type: 'format', params: { template: 'yes' }, when: ONE },
      { ...NOTE, when: { left: '${answer}', op: 'eq', right: 'yes' } },
    ],
    mappings: {
      no: { output_mappings: { result: 'answer' } },
      yes: { output_mappings: { result: 'answer' } },
    },
  },
  'a guard looks whether a server failed': {
    nodes: [
      { id: 'shaky', type: 'box.shaky' },
      { id: 'bad', type: 'format', params: { template: 'bad' } },
      { ...NOTE, when: { left: '${bad.result}', op: 'exists', right: true } },
    ],
    edges: [
      { from: 'shaky', to: 'note' },
      { from: 'shaky', to: 'bad', action: 'error' },
      { from: 'bad', to: 'note' },
    ],
  },
  'what went wrong with a list is handed on': {
    nodes: [
      {
        id: 'each',
        type: 'box.shaky',
        forEach: { items: [1, 2], error_handling: 'continue' },
      },
      { ...NOTE, params: { text: '${each.errors}' } },
      { ...NOTE, id: 'number', params: { text: '${each.error_count}' } },
    ],
  },
}

for (const [name, ir] of Object.entries(FLOWS)) {
  test(`as foreseen: ${name}`, async () => {
    const requests: CallRequest[] = []
    const folder = newPlace()
    const judged = (request: CallRequest): void => {
      if (request.callId !== 'foreseen') requests.push(request)
    }
    await using house = await openWithTools({ folder, tools: toolsOf(folder, [SHAKY]), judged })
    const { steps } = await house.flows.check({ kind: 'ir', ir }, [], never)
    await house.flows.start(startOf('r', ir, { approval: 'never' }), never)
    await untilOver(house.flows, 'r')
    assert.ok(requests.length >= 2)
    for (const { task, args } of requests) {
      const node = task.step.replace(/[[@].*/, '')
      const foreseen = steps.find((step) => step.node === node) ?? assert.fail(node)
      for (const argument of foreseen.args) {
        const { integrity, level } = args[argument.name]?.label ?? assert.fail(argument.name)
        const isTrusted =
          INTEGRITIES.indexOf(integrity) <=
          INTEGRITIES.findIndex((one) => one === argument.integrity)
        assert.ok(isTrusted, `${node}.${argument.name} is ${integrity}`)
        assert.ok(LEVELS.indexOf(level) <= LEVELS.indexOf(argument.level))
      }
    }
    const led = requests.filter(({ task }) => task.control.integrity === 'external')
    const expected = {
      'a guard looks at what a server gave': ['note'],
      'a list is gone through': ['each[0]', 'each[1]', 'each[2]', 'each[0]'],
      'a guard looks whether a guarded step ran': ['note'],
      'a guard looks at a key that a guarded step may have written': ['note'],
      'a guard looks whether a server failed': ['note'],
      'an edge is taken because a server failed': ['report'],
    }
    assert.deepEqual(
      led.map(({ task }) => task.step),
      expected[name as keyof typeof expected] ?? [],
    )
    const later = requests.find(({ task }) => task.step === 'later')
    if (later) assert.equal(later.task.control.bits, 1)
  })
}

test('an answer that was kept is not used once its owner calls its server more confidential', async () => {
  const folder = newPlace()
  const pure: TestTool = {
    name: 'pure',
    effect: 'remote-read',
    isReadOnly: true,
    run: () => 'something',
  }
  const ir = {
    nodes: [
      { id: 'pure', type: 'box.pure' },
      { ...NOTE, params: { text: '${pure.result}' } },
    ],
  }
  const levelOf = async (id: string, level: 'internal' | 'sensitive'): Promise<unknown> => {
    const tools = toolsOf(folder, [{ ...pure, level }])
    await using house = await openWithTools({ folder, tools })
    await house.flows.start(startOf(id, ir, { trust: ['readonly'] }), never)
    await untilOver(house.flows, id)
    const { steps } = await house.flows.show(id)
    return [steps[0]?.wasCached, steps[1]?.args[0]?.level]
  }
  assert.deepEqual(await levelOf('a', 'internal'), [undefined, 'internal'])
  assert.deepEqual(await levelOf('b', 'internal'), [true, 'internal'])
  assert.deepEqual(await levelOf('c', 'sensitive'), [undefined, 'sensitive'])
})
