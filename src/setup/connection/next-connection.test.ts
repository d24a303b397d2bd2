import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OWNER } from '../../kernel/principal.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import type { Service } from '../../ports/service-facts.ts'
import {
  QUESTION_MS,
  type Connection,
  type TimedEvent,
  hasEnded,
  type WorkResult,
} from './connection.ts'
import { nextConnection } from './next-connection.ts'
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
const START: Connection = {
  id: 'f',
  principal: OWNER.id,
  service: SERVICE,
  isOwn: false,
  isChat: true,
  isRemote: false,
  expiresAt: QUESTION_MS,
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
  { kind: 'looked', found: MISSING, vault: 'absent' },
  { kind: 'stored', ref: 'vault:notion_token', isDeleted: false },
  { kind: 'not-stored', reason: 'the vault is locked' },
  { kind: 'prompted', prompt: { kind: 'authorize', url: 'https://x.test' } },
  { kind: 'acquired', ref: 'oauth:notion' },
  { kind: 'not-acquired', isUnavailable: true },
  { kind: 'not-acquired', isUnavailable: false, failure: { reason: 'access was denied' } },
  {
    kind: 'prepared',
    plan: { write: 'add', changes: {}, undo: { kind: 'remove' } },
    facts: 'facts',
  },
  { kind: 'started', tools: 24 },
  { kind: 'verified', isCertain: true },
  { kind: 'unauthorized', reason: 'invalid token' },
  { kind: 'failed', reason: 'out of order' },
  { kind: 'failed', reason: 'no way', remedy: { kind: 'hosts', hosts: ['a.example'] } },
  { kind: 'failed', reason: 'too big', remedy: { kind: 'memory', limit: '1g' } },
  { kind: 'failed', reason: 'not set', remedy: { kind: 'setting', key: 'TEAM_KEY' } },
]

type Move = (connection: Connection) => TimedEvent

const said = (text: string): Move => {
  return () => ({ kind: 'said', message: { text, isGroup: false }, at: 1 })
}
const result = (kind: WorkResult['kind'], nth: number = 0): Move => {
  const found = results.filter((each) => each.kind === kind)[nth]
  assert.ok(found)
  return ({ turn }) => ({ ...found, turn, at: 1 })
}
const provided: Move = () => ({ kind: 'provided', entry: { text: SECRET }, at: 1 })

/** The usual events of each state, so that random sequences get far. */
const USUAL: Readonly<Record<Connection['state']['kind'], readonly Move[]>> = {
  start: [result('looked'), result('looked', 1), result('looked', 2)],
  'awaiting-vault': [() => ({ kind: 'vault-opened', at: 1 })],
  asking: [said(SECRET), provided, said('TEAM1'), said('TEAM1'), result('acquired')],
  storing: [result('stored'), result('stored'), result('not-stored')],
  offering: [said('yes'), said('no'), said(SECRET), provided],
  installing: [result('prepared')],
  connecting: [result('started'), result('unauthorized'), result('failed', 1)],
  verifying: [
    result('failed', 3),
    result('verified'),
    result('unauthorized'),
    result('unauthorized'),
  ],
  connected: [said(SECRET)],
  failed: [said(SECRET)],
  cancelled: [said(SECRET)],
}
const usualMove = fc.nat({ max: 1000 }).map(
  (nth): Move =>
    (connection) => {
      const moves = USUAL[connection.state.kind]
      const move = moves[nth % moves.length]
      assert.ok(move)
      return move(connection)
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

/** Every connection that a random sequence of events leads to. */
const anyConnection = fc
  .array(anyMove, { maxLength: 25 })
  .map((moves) =>
    moves.reduce(
      (connection, move) => nextConnection(connection, move(connection)).connection,
      START,
    ),
  )

test('nextFlow() holds no credential, and gives it to nothing but the effect that stores it', () => {
  const stored = new Set<string>()
  const reached = new Set<string>()
  fc.assert(
    fc.property(anyConnection, anyMove, (connection, move) => {
      const step = nextConnection(connection, move(connection))
      const others = step.effects.filter(({ kind }) => kind !== 'store')
      assert.ok(!JSON.stringify([step.connection, others]).includes(SECRET))
      if (others.length < step.effects.length) stored.add(step.connection.state.kind)
      reached.add(step.connection.state.kind)
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
    fc.property(anyConnection, words, (connection, spoken) => {
      const event = said(spoken.join(' '))(connection)
      assert.deepEqual(nextConnection(connection, event), {
        connection,
        effects: [{ kind: 'pass' }],
      })
    }),
    { numRuns: rounds(2000, 500) },
  )
})

test('nextFlow() ends every flow whose time is over, and nothing leaves an end', () => {
  fc.assert(
    fc.property(anyConnection, fc.array(anyMove), (connection, moves) => {
      const { connection: ended } = nextConnection(connection, { kind: 'expired', at: QUESTION_MS })
      assert.ok(hasEnded(ended))
      for (const move of moves) assert.equal(nextConnection(ended, move(ended)).connection, ended)
    }),
    { numRuns: rounds(1000, 300) },
  )
})

test('nextFlow() ignores the result of older work', () => {
  fc.assert(
    fc.property(anyConnection, fc.constantFrom(...results), (connection, result) => {
      const late = { ...result, turn: connection.turn - 1, at: 1 }
      assert.deepEqual(nextConnection(connection, late), { connection, effects: [] })
    }),
  )
})

test('nextFlow() asks for at most three tokens', () => {
  fc.assert(
    fc.property(anyConnection, (connection) => {
      assert.ok(connection.attempts < 3 || hasEnded(connection))
    }),
    { numRuns: rounds(2000, 500) },
  )
})

test('nextFlow() leaves nothing behind when it ends after a definition was planned', () => {
  fc.assert(
    fc.property(anyConnection, (connection) => {
      fc.pre(connection.plan !== undefined && !hasEnded(connection))
      const { effects } = nextConnection(connection, { kind: 'cancel', at: 1 })
      assert.deepEqual(effects.slice(1), [{ kind: 'halt' }, { kind: 'undo' }])
    }),
  )
})

test('a token that is sent again while it works goes no further, also one that is only ever acquired', () => {
  const service = { ...SERVICE, credentials: [], origin: 'pasted' } as const
  const connection: Connection = { ...START, service, state: { kind: 'installing' } }
  const said = (text: string): readonly string[] => {
    const event = { kind: 'said', message: { text, isGroup: false }, at: 1 } as const
    return nextConnection(connection, event).effects.map(({ kind }) => kind)
  }
  assert.deepEqual(said('a1B2c3D4e5F6g7H8i9J0k1L2'), ['erase', 'say'])
  assert.deepEqual(said('how is it going?'), ['pass'])
})

test('a page learns why a step did not work, until a later one works', () => {
  const troubles = (...moves: readonly Move[]): readonly (string | undefined)[] => {
    let connection: Connection = START
    return moves.map((move) => {
      connection = nextConnection(connection, move(connection)).connection
      return connection.trouble
    })
  }
  const there = result('looked', 1)
  const stored = [result('prepared'), result('started')]
  assert.equal(troubles(there, result('failed')).at(-1), 'not-installed')
  assert.equal(troubles(there, ...stored, result('failed')).at(-1), undefined)
  const signIn = { ...START.service, credentials: [] }
  const asking = (failure: object): Connection =>
    nextConnection(
      { ...START, service: signIn, state: { kind: 'asking', key: 'bearer', method: 0 } },
      {
        kind: 'not-acquired',
        isUnavailable: false,
        turn: 1,
        at: 1,
        failure: { reason: 'x', ...failure },
      },
    ).connection
  assert.equal(asking({}).trouble, 'sign-in-failed')
  const late = asking({ isTimeout: true })
  assert.equal(late.trouble, 'sign-in-timed-out')
  const { connection } = nextConnection(late, {
    kind: 'acquired',
    ref: 'oauth:x',
    turn: late.turn,
    at: 1,
  })
  assert.equal(connection.trouble, undefined)
})
