import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFlow } from './check-flow.ts'
import { fakeNodes, type FakeTool, TOOLS } from '../nodes/fake-nodes.ts'
import { parseIr } from '../language/ir.ts'

const USER = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  additionalProperties: false,
}
const who: FakeTool = {
  server: 'box',
  name: 'who',
  effect: 'remote-read',
  outputSchema: {
    type: 'object',
    properties: { user: USER, tags: { type: 'array', items: USER } },
  },
}
const nodeIndex = fakeNodes([...TOOLS, who])

function told(message: string): readonly string[] {
  const nodes = [
    { id: 'w', type: 'box.who' },
    { id: 's', type: 'slack.send_message', params: { channel: 'x', message } },
  ]
  const predict = () => ({ kind: 'allow', rule: 'test' }) as const
  const { findings } = checkFlow({ ir: parseIr({ nodes }), nodeIndex, predict })
  return findings.map(({ code, message: said }) => `${code}: ${said}`)
}

test('the type of a nested field comes from the output schema of its tool', () => {
  const mismatch = (type: string) => [
    `type.mismatch: "message" takes string, and would get ${type}`,
  ]
  assert.deepEqual(told('${w.user.name}'), [])
  assert.deepEqual(told('${w.result.user.name}'), [])
  assert.deepEqual(told('${w.user.age}'), mismatch('integer'))
  assert.deepEqual(told('${w.result.user.age}'), mismatch('integer'))
  assert.deepEqual(told('${w.tags[0]}'), mismatch('object'))
  assert.deepEqual(told('Age: ${w.user.age}'), [])
})

test('a field that the output schema rules out is refused with the closest name', () => {
  assert.deepEqual(told('${w.user.nmae}'), ['reference.output: "w.user" has no "nmae"'])
  assert.deepEqual(told('${w.tags[0].nmae}'), ['reference.output: "w.tags.0" has no "nmae"'])
  assert.deepEqual(told('${w.user.name}${w.user.constructor}'), [
    'reference.output: "w.user" has no "constructor"',
  ])
})

test('where the whole answer is taken for a text, the hint names the text in it', () => {
  const page: FakeTool = {
    ...who,
    name: 'page',
    outputSchema: { type: 'object', properties: { content: { type: 'string' } } },
  }
  const nodes = [
    { id: 'p', type: 'box.page' },
    { id: 's', type: 'slack.send_message', params: { channel: 'x', message: '${p.result}' } },
  ]
  const predict = () => ({ kind: 'allow', rule: 'test' }) as const
  const known = fakeNodes([...TOOLS, page])
  const { findings } = checkFlow({ ir: parseIr({ nodes }), nodeIndex: known, predict })
  const hint = 'Take the text in it, ${p.content}, or make a text of it with a `format` node'
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error').map((one) => one.hint),
    [hint],
  )
})
