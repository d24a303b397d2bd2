/** The check says everything that would keep a run from starting, each with the command that mends it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWN_WORDS } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import type { FlowSource } from '../../src/ports/flow-port.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { Template } from '../../src/kernel/tool-call.ts'
import { never, startOf, untilOver } from './engine-house.ts'
import { NOTE, openWithTools, READ } from './engine-tools.ts'

const text = (flow: string): FlowSource => ({ kind: 'text', text: flow })
const NOW = { now: true } as const

test('a server that is not ready is an error of the check with the command that mends it', async () => {
  const problem = {
    code: 'servers.vault-locked',
    message: 'box needs vault:token, and the vault is locked',
    hint: 'Run `cordon vault unlock`',
  }
  await using house = await openWithTools({ rooms: { readiness: async () => problem } })
  const source: FlowSource = { kind: 'ir', ir: { nodes: [READ] } }
  const { findings, isSound } = await house.flows.check(source, undefined, never, NOW)
  assert.deepEqual(findings, [{ ...problem, severity: 'error', place: 'box' }])
  assert.equal(isSound, false)
  const later = await house.flows.check(source, undefined, never)
  assert.deepEqual([later.findings, later.isSound], [[], true])
})

test('an input that the flow does not take is refused with the closest name, by check and by start', async () => {
  await using house = await openWithTools()
  const nodes = [{ id: 'note', type: 'box.note', params: { text: '${content}' } }]
  const ir = { nodes, inputs: { content: { type: 'string' } } }
  const { findings } = await house.flows.check({ kind: 'ir', ir }, ['contnt'], never, NOW)
  const unknown = findings.find(({ code }) => code === 'input.unknown')
  assert.equal(unknown?.message, 'The flow takes no input "contnt"')
  assert.equal(unknown?.hint, 'Did you mean "content"?')
  const start = { ...startOf('r', ir), inputs: { contnt: 'x' } }
  await assert.rejects(house.flows.start(start, never), /takes no input "contnt"/)
  await house.flows.start({ ...startOf('s', ir), inputs: { content: 'x' } }, never)
})

/** `n` is compared with numbers: given a text, every comparison would be false, and the run would give an empty list. */
const TYPED = {
  n: { type: 'number' },
  names: { type: 'list', required: false },
  many: { type: 'int', required: false },
}
const FILTER = {
  id: 'f',
  type: 'filter',
  params: { items: [{ a: 1 }, { a: 9 }], where: 'a > ${n}' },
}

test('a value of another type than the flow declares is refused in words, by start, bounds and schedules', async () => {
  await using house = await openWithTools()
  const ir = { nodes: [FILTER], inputs: TYPED }
  const source: FlowSource = { kind: 'ir', ir }
  const cases: readonly (readonly [string, Json, RegExp, RegExp])[] = [
    ['n', 'abc', /"n" takes number, and was given a text/, /^Give a number$/],
    ['n', [1], /"n" takes number, and was given a list/, /^Give a number$/],
    ['names', 'abc', /"names" takes array, and was given a text/, /^Give a JSON list such as/],
    ['many', {}, /"many" takes integer, and was given an object/, /^Give a whole number$/],
    ['many', 1.5, /"many" takes integer, and was given a number/, /^Give a whole number$/],
  ]
  for (const [name, value, message, hint] of cases) {
    const inputs = { n: 3, [name]: value }
    const refused = { code: 'flows.unsound', message, hint }
    await assert.rejects(house.flows.start({ ...startOf('r', ir), inputs }, never), refused)
    const labelled = { [name]: new Labelled(value, { label: OWN_WORDS }) }
    const given = { ...startOf('r', ir), inputs: name === 'n' ? {} : { n: 3 }, labelled }
    await assert.rejects(house.flows.start(given, never), refused)
    await assert.rejects(house.flows.bounds(source, { inputs }, never), refused)
    const checked = await house.flows.check(source, ['n', name], never, { ...NOW, inputs })
    assert.ok(checked.findings.some((finding) => message.test(finding.message)))
    assert.equal(checked.isSound, false)
  }
  const right = { n: 3, names: '["a"]', many: null }
  await house.flows.start({ ...startOf('s', ir), inputs: right }, never)
  assert.equal((await untilOver(house.flows, 's')).state, 'completed')
})

test('a default of another type than its input is refused by the check', async () => {
  await using house = await openWithTools()
  const check = (input: JsonObject) =>
    house.flows.check({ kind: 'ir', ir: { nodes: [READ], inputs: { n: input } } }, undefined, never)
  const { findings } = await check({ type: 'number', default: 'abc' })
  const [wrong] = findings.filter(({ severity }) => severity === 'error')
  assert.equal(wrong?.message, '"n" takes number, and its default is string')
  assert.equal(wrong?.place, 'inputs.n.default')
  const right: readonly JsonObject[] = [
    { type: 'number', default: 5 },
    { type: 'list', default: [1] },
    { type: 'string', default: null, required: false },
    { type: 'Path', default: 'a' },
    { default: {} },
  ]
  for (const one of right) assert.equal((await check(one)).isSound, true, JSON.stringify(one))
})

test('an optional argument of a tool is an input too', async () => {
  const optional = {
    name: 'opt',
    effect: 'remote-read',
    args: { q: 'query' },
    required: [],
  } as const
  await using house = await openWithTools({}, [{ ...optional, run: () => ({}) }])
  const source: FlowSource = { kind: 'ir', ir: { nodes: [{ id: 'o', type: 'box.opt' }] } }
  assert.deepEqual((await house.flows.check(source, ['q'], never, NOW)).findings, [])
})

test('a template that forbids a tool or its data is said before the run', async () => {
  const nightly: Template = {
    name: 'nightly',
    allowed: ['box.list'],
    denied: [],
    maxCalls: 10,
    ceiling: 'public',
    asksForWrites: false,
    sinks: ['sink:owner'],
  }
  const rooms = { template: async (name: string) => (name === 'nightly' ? nightly : undefined) }
  await using house = await openWithTools({ rooms })
  const source: FlowSource = { kind: 'ir', ir: { nodes: [READ, NOTE] } }
  const check = (template: string) => house.flows.check(source, undefined, never, { template })
  const { findings, isSound } = await check('nightly')
  assert.equal(isSound, false)
  assert.ok(findings.some(({ message }) => /nightly/.test(message) && /box\.note/.test(message)))
  assert.ok(findings.some(({ code }) => code === 'template.ceiling'))
  await assert.rejects(check('none'), { code: 'flows.no-template' })
})

test('a server that is not connected is named with the command that connects it', async () => {
  await using house = await openWithTools()
  for (const name of ['mcp-github-search-code', 'github.search_code']) {
    await assert.rejects(house.flows.check(text(name), undefined, never), {
      code: 'flows.unknown-node',
      hint: /^Run `cordon connect github`/,
    })
    const source: FlowSource = { kind: 'ir', ir: { nodes: [{ id: 'x', type: name }] } }
    const { findings } = await house.flows.check(source, undefined, never)
    assert.match(findings[0]?.hint ?? '', /^Run `cordon connect github`/)
  }
  const slip: FlowSource = { kind: 'ir', ir: { nodes: [{ id: 'x', type: 'mcp-box-lst' }] } }
  const { findings } = await house.flows.check(slip, undefined, never)
  assert.match(findings[0]?.hint ?? '', /^Did you mean "mcp-box-list"/)
})
