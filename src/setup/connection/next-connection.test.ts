import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OWNER } from '../../kernel/principal.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import type { Service } from '../../kernel/service-facts.ts'
import { FLOW_MS, type Flow, type FlowEvent, hasEnded, type WorkResult } from './connection.ts'
import { nextFlow } from './next-connection.ts'
import { rounds } from '../../kernel/test-rounds.ts'

const SERVICE: Service = {
  slug: parseServerId('notion'),
  title: 'Notion',
  about: '',
  aliases: [],
  origin: 'catalog',
  source: { kind: 'catalog', name: 'notion' },
  label: 'internal',
  launch: { kind: 'npm', package: 'x', version: '1.0.0', args: [] },
  domains: [],
  telemetryDomains: [],
  credentials: [
    { key: 'TOKEN', secret: 'notion_token', title: 'token', prefixes: ['ntn_'], required: true },
    { key: 'TEAM', title: 'team', prefixes: [], pattern: '^T[A-Z0-9]+$', required: true },
  ],
  oauth: [{ kind: 'mcp', key: 'bearer' }],
  env: {},
  tools: {},
  notes: [],
}
const MISSING = { refs: {}, names: { TOKEN: 'notion_token' }, missing: ['TOKEN', 'TEAM'] }
const START: Flow = {
  id: 'f',
  principal: OWNER.id,
  service: SERVICE,
  isOwn: false,
  isChat: true,
  isRemote: false,
  expiresAt: FLOW_MS,
  turn: 1,
  attempts: 0,
  found: { refs: {}, names: {}, missing: [] },
  settings: {},
  state: { kind: 'start' },
}
const SECRET = 'ntn_canary7canary7canary7'

const results: readonly WorkResult[] = [
  { kind: 'looked', found: MISSING },
  { kind: 'looked', found: { ...MISSING, missing: [] } },
  { kind: 'stored', ref: 'vault:notion_token', isDeleted: false },
  { kind: 'not-stored', reason: 'the vault is locked' },
  { kind: 'prompted', prompt: { kind: 'authorize', url: 'https://x.test' } },
  { kind: 'acquired', ref: 'oauth:notion' },
  { kind: 'not-acquired', isUnavailable: true },
  { kind: 'not-acquired', isUnavailable: false },
  {
    kind: 'prepared',
    plan: { write: 'add', changes: {}, undo: { kind: 'remove' } },
    facts: 'facts',
  },
  { kind: 'started', tools: 24 },
  { kind: 'verified', isCertain: true },
  { kind: 'unauthorized', reason: 'invalid token' },
  { kind: 'failed', reason: 'out of order' },
]

type Move = (flow: Flow) => FlowEvent

const said = (text: string): Move => {
  return () => ({ kind: 'said', message: { text, isGroup: false }, at: 1 })
}
const result = (kind: WorkResult['kind'], nth: number = 0): Move => {
  const found = results.filter((each) => each.kind === kind)[nth]
  assert.ok(found)
  return ({ turn }) => ({ ...found, turn, at: 1 })
}
const provided: Move = () => ({ kind: 'provided', entry: { text: SECRET }, at: 1 })

/** What usually happens in a state, so that courses of events get far. */
const USUAL: Readonly<Record<Flow['state']['kind'], readonly Move[]>> = {
  start: [result('looked'), result('looked', 1)],
  asking: [said(SECRET), provided, said('TEAM1'), said('TEAM1'), result('acquired')],
  storing: [result('stored'), result('stored'), result('not-stored')],
  installing: [result('prepared')],
  connecting: [result('started'), result('unauthorized')],
  verifying: [result('verified'), result('unauthorized'), result('unauthorized')],
  connected: [said(SECRET)],
  failed: [said(SECRET)],
  cancelled: [said(SECRET)],
}
const usualMove = fc.nat({ max: 1000 }).map(
  (nth): Move =>
    (flow) => {
      const moves = USUAL[flow.state.kind]
      const move = moves[nth % moves.length]
      assert.ok(move)
      return move(flow)
    },
)
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 20, arbitrary: usualMove },
  fc.constantFrom(...results).map(
    (each): Move =>
      ({ turn }) => ({ ...each, turn, at: 1 }),
  ),
  fc.constantFrom(...results).map(
    (each): Move =>
      () => ({ ...each, turn: 0, at: 1 }),
  ),
  fc.constantFrom(said(`it is ${SECRET}`), said('what is new?'), provided),
  fc.constantFrom<Move>(
    () => ({ kind: 'said', message: { text: SECRET, isGroup: true }, at: 1 }),
    () => ({ kind: 'begin', at: 1 }),
  ),
)

/** Every flow that some course of events leads to. */
const anyFlow = fc
  .array(anyMove, { maxLength: 25 })
  .map((moves) => moves.reduce((flow, move) => nextFlow(flow, move(flow)).flow, START))

test('nextFlow() holds no credential, and gives it to nothing but the effect that stores it', () => {
  const stored = new Set<string>()
  const reached = new Set<string>()
  fc.assert(
    fc.property(anyFlow, anyMove, (flow, move) => {
      const step = nextFlow(flow, move(flow))
      const others = step.effects.filter(({ kind }) => kind !== 'store')
      assert.ok(!JSON.stringify([step.flow, others]).includes(SECRET))
      if (others.length < step.effects.length) stored.add(step.flow.state.kind)
      reached.add(step.flow.state.kind)
    }),
    { numRuns: rounds(2000, 500) },
  )
  assert.deepEqual([...stored], ['storing'])
  assert.deepEqual(
    [...reached].sort(),
    Object.keys(USUAL)
      .filter((kind) => kind !== 'cancelled')
      .sort(),
  )
})

test('nextFlow() never takes an ordinary message, in whatever state', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 2, maxLength: 9 })
  fc.assert(
    fc.property(anyFlow, words, (flow, spoken) => {
      const event = said(spoken.join(' '))(flow)
      assert.deepEqual(nextFlow(flow, event), { flow, effects: [{ kind: 'pass' }] })
    }),
    { numRuns: rounds(2000, 500) },
  )
})

test('nextFlow() ends every flow whose time is over, and nothing leaves an end', () => {
  fc.assert(
    fc.property(anyFlow, fc.array(anyMove), (flow, moves) => {
      const { flow: ended } = nextFlow(flow, { kind: 'expired', at: FLOW_MS })
      assert.ok(hasEnded(ended))
      for (const move of moves) assert.equal(nextFlow(ended, move(ended)).flow, ended)
    }),
    { numRuns: rounds(1000, 300) },
  )
})

test('nextFlow() ignores the result of older work', () => {
  fc.assert(
    fc.property(anyFlow, fc.constantFrom(...results), (flow, result) => {
      const late = { ...result, turn: flow.turn - 1, at: 1 }
      assert.deepEqual(nextFlow(flow, late), { flow, effects: [] })
    }),
  )
})

test('nextFlow() asks for at most three tokens', () => {
  fc.assert(
    fc.property(anyFlow, (flow) => {
      assert.ok(flow.attempts < 3 || hasEnded(flow))
    }),
    { numRuns: rounds(2000, 500) },
  )
})

test('nextFlow() leaves nothing behind when it ends after a definition was planned', () => {
  fc.assert(
    fc.property(anyFlow, (flow) => {
      fc.pre(flow.plan !== undefined && !hasEnded(flow))
      const { effects } = nextFlow(flow, { kind: 'cancel', at: 1 })
      assert.deepEqual(effects.slice(1), [{ kind: 'halt' }, { kind: 'undo' }])
    }),
  )
})

test('a token that is sent again while it works goes no further, also one that is only ever acquired', () => {
  const service = { ...SERVICE, credentials: [], origin: 'pasted' } as const
  const flow: Flow = { ...START, service, state: { kind: 'installing' } }
  const said = (text: string): readonly string[] => {
    const event = { kind: 'said', message: { text, isGroup: false }, at: 1 } as const
    return nextFlow(flow, event).effects.map(({ kind }) => kind)
  }
  assert.deepEqual(said('a1B2c3D4e5F6g7H8i9J0k1L2'), ['erase', 'say'])
  assert.deepEqual(said('how is it going?'), ['pass'])
})
