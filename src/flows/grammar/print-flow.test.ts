import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FlowText, Statement, Step } from './flow-text.ts'
import { parseFlow } from './parse-flow.ts'
import { printCommand, printFlow } from './print-flow.ts'
import { rounds } from '../../kernel/test-rounds.ts'

function statementsOf(text: string): readonly Statement[] {
  const read = parseFlow(text)
  assert.equal(read.kind, 'flow', `${text}\n${JSON.stringify(read)}`)
  return withoutPlaces((read as { flow: FlowText }).flow.statements)
}

function withoutPlaces(statements: readonly Statement[]): readonly Statement[] {
  return statements.map((steps) =>
    steps.map((step) => ({
      ...step,
      at: 0,
      flags: step.flags.map((flag) => ({ ...flag, at: 0, valueAt: 0 })),
    })),
  )
}

const KEYWORDS = [
  'then',
  'for',
  'when',
  'retry',
  'input',
  'in',
  '>',
  'as',
  'mcp',
  'max',
  '-',
  '>>',
  '|>',
  '|',
  '#x',
  '“x”',
  '—',
  '',
  '--k',
  '${a.b}',
  '$${x}',
  "'",
  '"',
  '\\',
]
const name = fc.oneof(
  fc.constantFrom(
    'then',
    'as',
    'mcp',
    'max',
    'for',
    'when',
    'input',
    'mcp_github.search_code',
    'ns/name',
  ),
  fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,20}$/),
)
const value = fc.oneof(
  fc.constantFrom(...KEYWORDS),
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.json(),
  fc
    .array(fc.constantFrom(...KEYWORDS, '\n', '\r', '\t', ' '), { maxLength: 6 })
    .map((all) => all.join('')),
)
const flag = fc.record(
  {
    key: fc.oneof(
      fc.stringMatching(/^[\w$@][\w$@.:/[\]-]{0,12}$/),
      fc.constantFrom('größe', 'no-cache'),
    ),
    value,
    at: fc.constant(0),
    valueAt: fc.constant(0),
  },
  { requiredKeys: ['key', 'at', 'valueAt'], noNullPrototype: true },
)
const exit = fc.record(
  { action: fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), max: fc.integer({ min: 1, max: 100 }) },
  { requiredKeys: ['action'], noNullPrototype: true },
)
const identifier = fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/)
const each = fc.record(
  {
    as: fc.oneof(identifier, fc.constantFrom('in', 'for', 'when', 'max')),
    items: fc.oneof(
      fc.constant('${a.b}'),
      fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean())),
    ),
    max: fc.integer({ min: 1, max: 1000 }),
    parallel: fc.integer({ min: 1, max: 100 }),
    goesOn: fc.constant(true as const),
  },
  { requiredKeys: ['as', 'items'], noNullPrototype: true },
)
const compared = fc.oneof(fc.string(), fc.constantFrom('41', '--k', '-', 'null', '1.5', 'for'))
const when = fc.oneof(
  fc.record({ left: fc.constantFrom('${a.b}', 'x y', '>') }, { noNullPrototype: true }),
  fc.record(
    {
      left: fc.constantFrom('${a.b}', '<'),
      op: fc.constantFrom('eq', 'ne', 'lt', 'gte', 'contains'),
      right: fc.oneof(compared, fc.integer(), fc.boolean(), fc.constant(null)),
    },
    { noNullPrototype: true },
  ),
  fc.constant({ left: '${a.b}', op: 'exists', right: true }),
)
const retry = fc.record(
  { times: fc.integer({ min: 0, max: 10 }), wait: fc.integer({ min: 0, max: 3600 }) },
  { requiredKeys: ['times'], noNullPrototype: true },
)
const step = fc.record(
  {
    name,
    version: fc.stringMatching(/^[A-Za-z0-9][\w.+-]{0,8}$/),
    id: fc.oneof(
      fc.constantFrom('then', 'as', 'mcp'),
      fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/),
    ),
    each,
    when,
    retry,
    flags: fc.array(flag, { maxLength: 4 }),
    exit,
    at: fc.constant(0),
  },
  { requiredKeys: ['name', 'flags', 'at'], noNullPrototype: true },
)
/** Drops the exit of the last step: an exit needs a step after it. */
const statement = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps): Statement => {
  const { exit: _, ...last } = steps.at(-1)!
  return [...steps.slice(0, -1), last] as readonly Step[]
})

test('printFlow() prints what parseFlow() reads as the same flow', () => {
  const flow = fc.array(statement, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(flow, (statements) => {
      const printed = printFlow({ statements })
      assert.deepEqual(statementsOf(printed), statements, printed)
    }),
    { numRuns: rounds(2000, 300) },
  )
})

test('printFlow() has one spelling for every way to write a flow', () => {
  const spellings = [
    'a --k v --l "x y" >> b - "t" >> c',
    `a   --k='v'\n  --l x\\ y # why\n  then b - t\n|> c`,
    'a --k=v --l="x y" >> b - "t" >> c',
  ]
  for (const text of spellings)
    assert.equal(printFlow({ statements: statementsOf(text) }), spellings[2])
})

test('printCommand() prints what a shell hands over as one argument', () => {
  const statements = statementsOf(`a --k "it's" >> b`)
  assert.equal(printCommand({ statements }), String.raw`cordon 'a --k="it'\''s" >> b'`)
})
