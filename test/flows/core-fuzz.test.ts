/**
 * Mutated flows: parts swapped, cut, repeated, replaced. Each flow is refused with a reason, or parsed and checked;
 * nothing crashes, and nothing takes long.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFlow } from '../../src/flows/check/check-flow.ts'
import { drawDot, drawMermaid } from '../../src/flows/language/draw-flow.ts'
import { fakeNodes } from '../../src/flows/nodes/fake-nodes.ts'
import { type FlowIr, parseIr } from '../../src/flows/language/ir.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { onlyInFull, rounds } from '../../src/kernel/test-rounds.ts'
import { decideFor } from './core-decide.ts'

const RUNS = rounds(20_000, 100)

type Random = () => number

/** Mulberry32: the same flows on every machine. */
function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const SOUND = {
  ir_version: '1.0.0',
  metadata: { name: 'x', safety: { effect: 'destructive', level: 'regulated' } },
  inputs: { day: { type: 'string', default: 'monday' }, text: { stdin: true } },
  outputs: { n: { source: '${each.count}' } },
  nodes: [
    { id: 'list', type: 'mail.list', params: { folder: 'inbox' }, execution: { max_retries: 1 } },
    { id: 'new', type: 'argmax', params: { items: '${list.items}', by: 'received' } },
    { id: 'ask', type: 'extract', params: { schema: { properties: { ok: { type: 'boolean' } } } } },
    { id: 'free', type: 'calendar.is_free', params: { day: '${day}' } },
    {
      id: 'event',
      type: 'mcp_wrapper',
      mcp_metadata: { server_id: 'calendar', tool_name: 'create_event' },
      when: { left: '${free.free}', op: 'eq', right: true },
      params: { title: 'About ${new.result.subject}', day: '${day}' },
    },
    {
      id: 'each',
      type: 'mail.delete',
      forEach: { items: '${list.items}', max: 5 },
      params: { id: '${item.id}' },
    },
    'llm',
    { id: 'send', type: 'slack.send_message', params: { channel: '#x', limit: 3 } },
  ],
  edges: [
    { from: 'list', to: 'new' },
    { from: 'new', to: 'ask' },
    { from: 'ask', to: 'free' },
    { from: 'free', to: 'event' },
    { from: 'event', to: 'each' },
    { from: 'each', to: 'llm' },
    { from: 'llm', to: 'send' },
    { from: 'send', to: 'llm', action: 'rate_limited', max: 3 },
  ],
  mappings: { send: { input_mappings: { message: 'response' } } },
}

const WORDS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e9,
  0.5,
  '',
  'list',
  'each',
  'item',
  'constructor',
  '__x',
  'stdin',
  '${list.items}',
  '${',
  '$${x}',
  '${a.b[0]}',
  '${each}',
  '${item}',
  '${send.result.x}',
  '\ud800',
  'x'.repeat(300),
  '\u202e',
  [],
  {},
  ['a'],
  { a: 1 },
  { id: 'list' },
  { from: 'list', to: 'list' },
  { from: 'send', to: 'list', max: 2 },
  { items: '${item}' },
  'mail.delete',
  'filter',
  'map',
  'extract',
  { where: { field: 'a', value: '${list}' } },
  'rate_limited',
  'default',
  '2.0.0',
  'secret',
]

type Holder = Record<string | number, unknown>

/** Every object and array in the value, itself included. */
function holders(value: unknown): readonly Holder[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Holder, ...Object.values(value).flatMap(holders)]
}

function mutate(flow: unknown, random: Random): void {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const all = holders(flow).filter((one) => Object.keys(one).length > 0)
  const holder = pick(all)
  const key = holder && pick(Object.keys(holder))
  if (holder === undefined || key === undefined) return
  const other = pick(all)
  const kinds = [
    () => delete holder[key],
    () => (holder[key] = structuredClone(pick(WORDS))),
    () => (holder[key] = structuredClone(other?.[pick(Object.keys(other)) ?? ''])),
    () => Array.isArray(holder) && holder.push(structuredClone(holder[Number(key)])),
    () => (holder[String(pick(WORDS))] = structuredClone(holder[key])),
    () => Array.isArray(holder) && holder.reverse(),
  ]
  pick(kinds)?.()
}

const nodeIndex = fakeNodes()

/** Parses and checks one mutated flow; a refusal must be a short error with a known code. */
function tryOut(flow: unknown): 'refused' | 'sound' | 'unsound' {
  let ir: FlowIr
  try {
    ir = parseIr(flow)
  } catch (error) {
    assert.ok(error instanceof CordonError, String(error))
    assert.match(error.code, /^flows\.(?:bad-ir|newer-ir)$/)
    assert.ok(error.message.length < 1000)
    return 'refused'
  }
  assert.deepEqual(parseIr(ir), ir)
  const report = checkFlow({ ir, nodeIndex, predict: decideFor })
  for (const { code, message, hint, severity } of report.findings) {
    assert.match(code, /^[a-z-]+\.[a-z-]+$/)
    assert.ok(message !== '' && hint !== '' && severity !== undefined)
    assert.ok(message.length < 2000 && hint.length < 2000)
  }
  drawMermaid(ir)
  drawDot(ir)
  return report.isSound ? 'sound' : 'unsound'
}

test('the flow they start from is sound', () => {
  assert.equal(tryOut(structuredClone(SOUND)), 'sound')
})

test(`${RUNS} flows that somebody has been at are each read or refused`, () => {
  const random = randomFrom(20_261_115)
  const seen = { refused: 0, sound: 0, unsound: 0 }
  for (let run = 0; run < RUNS; run += 1) {
    const flow: unknown = structuredClone(SOUND)
    const changes = 1 + Math.floor(random() * 6)
    for (let change = 0; change < changes; change += 1) mutate(flow, random)
    seen[tryOut(flow)] += 1
  }
  for (const count of Object.values(seen)) assert.ok(count > RUNS / 50, JSON.stringify(seen))
})

test('the largest flow with everything wrong in it is refused', onlyInFull, () => {
  const nodes = Array.from({ length: 1000 }, (_, at) => ({
    id: `node-${at}`,
    type: `mcp-mail-lst${at}`,
    params: { a: `\${nobody-${at}.x}`, b: `\${node-${(at * 7) % 1000}.y}` },
  }))
  const edges = Array.from({ length: 3000 }, (_, at) => ({
    from: `node-${(at * 7919) % 1000}`,
    to: `node-${(at * 104_729) % 1000}`,
    ...(at % 2 === 0 && { max: 3 }),
    ...(at % 3 === 0 && { action: 'error' }),
  }))
  assert.equal(tryOut({ nodes, edges }), 'unsound')
})
