/** The values that people expect of a step: text as text, JSON as what it spells, and every one with its labels. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json, JsonObject } from '../../src/text/json.ts'
import { memoryShelf } from './engine-files.ts'
import { never, startOf, type TestTool, untilOver } from './engine-house.ts'
import { openWithTools } from './engine-tools.ts'

const block = (text: string): Json => ({ type: 'text', text })
const PEOPLE = '[{"name":"Ann","age":41},{"name":"Bo","age":29}]'
const PICTURE: Json = { type: 'image', data: 'AAAA', mimeType: 'image/png' }

function says(name: string, ...blocks: readonly Json[]): TestTool {
  return { name, effect: 'remote-read', args: {}, run: () => blocks }
}

const greet: TestTool = {
  name: 'greet',
  effect: 'remote-read',
  args: { name: 'query' },
  run: ({ args }) => [block(`Hello, ${JSON.stringify(args['name']).slice(1, -1)}!`)],
}
const TOOLS = [
  greet,
  says('people', block(PEOPLE)),
  says('prose', block('not JSON\n\nat all')),
  says('blocks', block('one'), { type: 'resource', resource: { uri: 'a:b', text: 'two' } }),
  says('picture', block('see'), PICTURE),
  says('silent'),
]

const format = (template: string): JsonObject => ({ id: 'f', type: 'format', params: { template } })

async function resultOf(nodes: readonly Json[], more: JsonObject = {}) {
  await using house = await openWithTools({}, TOOLS)
  const check = await house.flows.check({ kind: 'ir', ir: { nodes, ...more } }, undefined, never)
  assert.deepEqual(
    check.findings.filter(({ severity }) => severity === 'error'),
    [],
  )
  await house.flows.start(startOf('r', { nodes, ...more }), never)
  const run = await untilOver(house.flows, 'r')
  const { outputs, steps } = await house.flows.show('r')
  const results = await house.flows.results('r')
  return { run, outputs, steps, label: results?.['result']?.label }
}

test('an answer in text is a text, alone and inside another one', async () => {
  const ann = { id: 'g', type: 'box.greet', params: { name: 'Ann' } }
  assert.deepEqual((await resultOf([ann])).outputs, { result: 'Hello, Ann!' })
  assert.deepEqual((await resultOf([ann, format('<${g.result}>')])).outputs, {
    result: '<Hello, Ann!>',
  })
  const joined = await resultOf([{ id: 'b', type: 'box.blocks' }, format('${b.result}')])
  assert.deepEqual(joined.outputs, { result: 'one\ntwo' })
  const silent = await resultOf([{ id: 's', type: 'box.silent' }, format('<${s.result}>')])
  assert.deepEqual(silent.outputs, { result: '<>' })
})

test('an answer with a picture stays a list of blocks', async () => {
  const { outputs } = await resultOf([{ id: 'p', type: 'box.picture' }])
  assert.deepEqual(outputs, { result: [block('see'), PICTURE] })
})

test('the content blocks of a text are still found by their positions', async () => {
  const ann = { id: 'g', type: 'box.greet', params: { name: 'Ann' } }
  const { outputs } = await resultOf([ann, format('${g.result[0].text} ${g.result[0].type}')])
  assert.deepEqual(outputs, { result: 'Hello, Ann! text' })
})

test('a node that is repeated gives texts, and its trace shows them', async () => {
  const each = { items: ['Ann', 'Bo'] }
  const nodes = [
    { id: 'g', type: 'box.greet', params: { name: '${item}' }, forEach: each },
    { id: 'j', type: 'join', params: { items: '${g.results}', separator: ' ' } },
  ]
  const { outputs, steps } = await resultOf(nodes)
  assert.deepEqual(outputs, { result: 'Hello, Ann! Hello, Bo!' })
  assert.equal(steps[0]?.outputs[0]?.shown, 'Hello, Ann!')
})

test('the step after a loop takes its answers, not its errors', async () => {
  const nodes = [
    {
      id: 'g',
      type: 'box.greet',
      params: { name: '${item}' },
      forEach: { items: ['Ann', 'Bo'] },
    },
    { id: 'j', type: 'join', params: { separator: ' ' } },
  ]
  assert.deepEqual((await resultOf(nodes)).outputs, { result: 'Hello, Ann! Hello, Bo!' })
})

test('a text that is JSON is read where a list is wanted, also by forEach', async () => {
  const people = { id: 'p', type: 'box.people' }
  assert.deepEqual((await resultOf([people, { id: 'c', type: 'count' }])).outputs, { result: 2 })
  const where = { field: 'age', op: 'gt', value: 40 }
  const filtered = await resultOf([people, { id: 'x', type: 'filter', params: { where } }])
  assert.deepEqual(filtered.outputs, { result: [{ name: 'Ann', age: 41 }] })
  const greeted = await resultOf([
    people,
    {
      id: 'g',
      type: 'box.greet',
      params: { name: '${item.name}' },
      forEach: { items: '${p.result}' },
    },
    { id: 'j', type: 'join', params: { items: '${g.results}', separator: ' ' } },
  ])
  assert.deepEqual(greeted.outputs, { result: 'Hello, Ann! Hello, Bo!' })
})

test('`json` reads a text, `lines` takes its lines, and a text that is neither ends in a sentence', async () => {
  const people = { id: 'p', type: 'box.people' }
  const read = await resultOf([people, { id: 'x', type: 'json' }, format('${x.result[1].name}')])
  assert.deepEqual(read.outputs, { result: 'Bo' })
  const prose = { id: 'p', type: 'box.prose' }
  const lines = await resultOf([prose, { id: 'x', type: 'lines' }])
  assert.deepEqual(lines.outputs, { result: ['not JSON', 'at all'] })
  for (const [type, message] of [
    ['json', /Cannot read the text as JSON/],
    ['count', /Cannot take the items of a text that is no JSON list/],
  ] as const) {
    const { run } = await resultOf([prose, { id: 'x', type }])
    assert.equal(run.state, 'failed')
    assert.match(run.problem?.message ?? '', message)
  }
})

test('a text, what it spells and its lines are labelled like the whole answer', async () => {
  for (const type of ['json', 'lines', 'first']) {
    const { label } = await resultOf([
      { id: 'p', type: 'box.people' },
      { id: 'x', type },
    ])
    assert.equal(label?.integrity, 'external', type)
    assert.deepEqual([...(label?.origins ?? [])], ['box'], type)
    assert.equal(label?.bound, undefined, type)
  }
})

test('a flow that an earlier version saved keeps its content blocks, and the check says so', async () => {
  const savedFlows = memoryShelf()
  await using house = await openWithTools({ rooms: { savedFlows } }, TOOLS)
  const nodes = [
    { id: 'g', type: 'box.greet', params: { name: 'Ann' } },
    { id: 'c', type: 'map', params: { items: '${g.result}', to: '${item.type}' } },
  ]
  const ir = JSON.stringify({ ir_version: '1.0.0', nodes })
  await savedFlows.put({ name: 'old', savedAt: 0, ir }, false)
  const source = { kind: 'saved', name: 'old' } as const
  const { findings } = await house.flows.check(source, undefined, never)
  assert.deepEqual(
    findings.map(({ code, severity }) => [code, severity]),
    [['flow.older', 'note']],
  )
  await house.flows.start({ ...startOf('r', {}), source }, never)
  await untilOver(house.flows, 'r')
  assert.deepEqual((await house.flows.show('r')).outputs, { result: ['text'] })
  await house.flows.save('new', { kind: 'ir', ir: { nodes } }, false)
  const saved = await house.flows.check({ kind: 'saved', name: 'new' }, undefined, never)
  assert.deepEqual(saved.findings, [])
})

test('an item that an operator cannot use is null with `continue`, as one that a tool fails at', async () => {
  const each = { items: '${people}', as: 'one', error_handling: 'continue' }
  const node = { id: 'f', type: 'format', params: { template: '<${one.name}>' }, forEach: each }
  const inputs = { people: { type: 'list', default: [{ name: 'Ann' }, null, { age: 3 }] } }
  await using house = await openWithTools()
  const outputs = { all: { source: '${f.results}' }, wrong: { source: '${f.error_count}' } }
  await house.flows.start(startOf('r', { nodes: [node], inputs, outputs }), never)
  await untilOver(house.flows, 'r')
  const shown = (await house.flows.show('r')).outputs
  assert.deepEqual(shown, { all: ['<Ann>', null, null], wrong: 2 })
})
