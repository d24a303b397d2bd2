import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Plan } from './plan-port.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { LLM_CARD, REMEMBER_CARD } from './built-in-cards.ts'
import { handlesIn, planFlow, planSteps, showPlan, withoutStep } from './plan-flow.ts'

const files = parseServerId('files')
const mail = parseServerId('mail')
const plan: Plan = {
  steps: [
    { tool: { server: files, name: 'read' }, args: { path: { kind: 'literal', value: 'a.txt' } } },
    { tool: { server: files, name: 'count' }, args: { text: { kind: 'handle', name: 'paste1' } } },
    {
      tool: { server: mail, name: 'send' },
      args: { to: { kind: 'literal', value: 'me@example.com' }, body: { kind: 'step', step: 0 } },
    },
  ],
}

suite('a plan as a flow', () => {
  test('each step is a node, in order, and its result an output', () => {
    const flow = planFlow(plan, 'send me a.txt', [])
    assert.deepEqual(
      (flow['nodes'] as readonly { readonly id: string; readonly params: object }[]).map(
        ({ id, params }) => [id, params],
      ),
      [
        ['step1', { path: 'a.txt' }],
        ['step2', { text: '${paste1}' }],
        ['step3', { to: 'me@example.com', body: '${step1.result}' }],
      ],
    )
    assert.deepEqual(flow['edges'], [
      { from: 'step1', to: 'step2' },
      { from: 'step2', to: 'step3' },
    ])
    assert.deepEqual(flow['inputs'], { paste1: { type: 'any', required: true } })
    assert.deepEqual(handlesIn(plan), ['paste1'])
  })

  test('text that looks like a reference stays text', () => {
    const value = { note: ['${step1.result}', '$${x}'] }
    const written: Plan = {
      steps: [
        { tool: { server: files, name: 'write' }, args: { value: { kind: 'literal', value } } },
      ],
    }
    const [node] = planFlow(written, '', [])['nodes'] as readonly { readonly params: object }[]
    assert.deepEqual(node?.params, { value: { note: ['$${step1.result}', '$$${x}'] } })
  })

  test('a path after a result or a handle becomes a reference of the flow', () => {
    const written: Plan = {
      steps: [
        { tool: { server: files, name: 'list' }, args: {} },
        {
          tool: { server: mail, name: 'send' },
          args: {
            to: { kind: 'list', items: [{ kind: 'step', step: 0, path: ['items', 0, 'from'] }] },
            body: { kind: 'handle', name: 'result3', path: ['title'] },
            more: {
              kind: 'object',
              members: {
                note: { kind: 'literal', value: '${x}' },
                first: { kind: 'handle', name: 'paste1', path: [0] },
              },
            },
          },
        },
      ],
    }
    const [, node] = planFlow(written, '', [])['nodes'] as readonly { readonly params: object }[]
    assert.deepEqual(node?.params, {
      to: ['${step1.result.items[0].from}'],
      body: '${result3.title}',
      more: { note: '$${x}', first: '${paste1[0]}' },
    })
    assert.deepEqual(handlesIn(written), ['result3', 'paste1'])
    assert.equal(
      showPlan(planSteps(written, new Map())).split('\n')[1],
      '  2. mail.send to: [items[0].from of the result of 1], body: $result3.title, more: {note: "${x}", first: $paste1[0]}',
    )
    assert.deepEqual(withoutStep(written, 0).steps, [])
  })

  test('a text of a model and a fact are built-in nodes, which take what the plan gives and nothing else', () => {
    const made: Plan = {
      steps: [
        { tool: { server: files, name: 'read' }, args: {} },
        { tool: LLM_CARD.id, args: { prompt: { kind: 'literal', value: 'Write a poem' } } },
        { tool: REMEMBER_CARD.id, args: { text: { kind: 'step', step: 1 } } },
      ],
    }
    const outputs = [{ name: 'response', type: 'string' }]
    const flow = planFlow(made, '', [{ id: 'llm', outputs } as never])
    const nodes = flow['nodes'] as readonly { readonly type: string; readonly params: object }[]
    assert.deepEqual(
      nodes.slice(1).map(({ type, params }) => [type, params]),
      [
        ['llm', { input: null, prompt: 'Write a poem' }],
        ['remember', { text: '${step2.response}' }],
      ],
    )
    assert.deepEqual(flow['outputs'], {
      step1: { source: '${step1.result}' },
      step2: { source: '${step2.response}' },
      step3: { source: '${step3}' },
    })
  })

  test('a step that is left out takes along the steps that need it', () => {
    assert.deepEqual(
      withoutStep(plan, 0).steps.map(({ tool }) => tool.name),
      ['count'],
    )
    const [, last] = withoutStep(plan, 1).steps
    assert.deepEqual(last?.args['body'], { kind: 'step', step: 0 })
  })

  test('the plan is shown by number, with the steps that ask', () => {
    const steps = planSteps(plan, new Map([['step3', 'it sends']]))
    assert.deepEqual(
      steps.map(({ asks }) => asks),
      [undefined, undefined, 'it sends'],
    )
    assert.deepEqual(steps[0]?.args, [{ name: 'path', shown: '"a.txt"' }])
    assert.equal(
      showPlan(steps),
      [
        '  1. files.read path: "a.txt"',
        '  2. files.count text: $paste1',
        '  3. mail.send to: "me@example.com", body: the result of 1 (asks you first)',
      ].join('\n'),
    )
  })
})
