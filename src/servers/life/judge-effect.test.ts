import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Semantics, SEMANTICS, type ServerDefinition } from '../../kernel/server-definition.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { type EffectJudgement, judgeEffect, sayerOf } from './judge-effect.ts'
import { programHashOf } from './launch-hash.ts'

const shutIn: ServerDefinition = {
  id: parseServerId('notes'),
  name: 'Notes',
  description: '',
  label: 'internal',
  transport: 'stdio',
  command: 'node',
  args: [],
  allowedDomains: [],
  enabled: true,
  scopes: [],
  env: {},
  auth: {},
  sandbox: {
    mode: 'bwrap',
    memoryLimitBytes: 2 ** 28,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: ['/srv/notes'],
    writePaths: [],
  },
  tools: { 'get page': { semantics: 'read' }, save: { semantics: 'write' } },
  config: {},
}
const open: ServerDefinition = { ...shutIn, allowedDomains: ['api.example.com'] }

type Annotations = Readonly<Record<string, boolean>>

const effectOf = (
  definition: ServerDefinition,
  name: string,
  annotations: Annotations = {},
): EffectJudgement['effect'] => judgeEffect(definition, { name, annotations }).effect
const saying = (name: string, semantics: Semantics, hints?: 'ignored'): ServerDefinition => ({
  ...open,
  tools: { [name]: { semantics, ...(hints && { hints }) } },
})

test('a sandbox without a network and without a writable path is proof of a read', () => {
  assert.equal(effectOf(shutIn, 'anything'), 'local-read')
  assert.equal(effectOf(shutIn, 'get page'), 'local-read')
})

test('one way out of the sandbox, and it is no proof', () => {
  const { sandbox } = shutIn
  const ways: readonly Partial<ServerDefinition>[] = [
    { allowedDomains: ['api.example.com'] },
    { transport: 'stream-http' },
    { sandbox: { ...sandbox, writePaths: ['/srv/notes'] } },
    { sandbox: { ...sandbox, keepsData: true } },
    { sandbox: { ...sandbox, mode: 'none' } },
  ]
  for (const way of ways) {
    assert.equal(effectOf({ ...shutIn, ...way }, 'anything'), 'destructive', JSON.stringify(way))
    assert.equal(effectOf({ ...shutIn, ...way }, 'get page'), 'remote-read')
    assert.equal(effectOf({ ...shutIn, ...way }, 'constructor'), 'destructive')
  }
})

test('the owner may call a tool worse than it is, whatever the sandbox proves', () => {
  assert.equal(effectOf(shutIn, 'save'), 'write')
})

test('what the definition says counts, and a tool it does not name may destroy', () => {
  const effects = SEMANTICS.map((semantics) => effectOf(saying('x', semantics), 'x'))
  assert.deepEqual(effects, ['remote-read', 'write', 'destructive', 'exec'])
  assert.equal(effectOf(open, 'x', { readOnlyHint: true }), 'destructive')
})

test('a name that says it destroys is believed, word by word', () => {
  for (const name of ['delete_page', 'pageDelete', 'REMOVE-ALL', 'wipe', 'transferMoney']) {
    assert.equal(effectOf(saying(name, 'write'), name), 'destructive', name)
    assert.equal(effectOf(saying(name, 'read'), name), 'destructive', name)
    assert.equal(effectOf(shutIn, name), 'destructive', name)
  }
  for (const name of ['list_deleted', 'undeleted', 'dropdown', 'get_transfers']) {
    assert.equal(effectOf(saying(name, 'read'), name), 'remote-read', name)
  }
})

test('a name that says it runs commands is believed, also of a read and behind any sandbox', () => {
  for (const name of [
    'exec',
    'run_command',
    'shell',
    'browserEvaluate',
    'open-terminal',
    'runCode',
  ]) {
    assert.equal(effectOf(saying(name, 'read'), name), 'exec', name)
    assert.equal(effectOf(shutIn, name), 'exec', name)
  }
  assert.equal(effectOf(saying('run_report', 'read'), 'run_report'), 'remote-read')
})

test("a server's hints make a tool stricter", () => {
  assert.equal(effectOf(saying('x', 'read'), 'x', { destructiveHint: true }), 'destructive')
  assert.equal(effectOf(saying('x', 'write'), 'x', { destructiveHint: true }), 'destructive')
  assert.equal(effectOf(shutIn, 'x', { destructiveHint: true }), 'destructive')
  assert.equal(effectOf(shutIn, 'x', { openWorldHint: true }), 'remote-read')
})

test('hints that somebody looked past do not count, and names still do', () => {
  const hint = { destructiveHint: true }
  assert.equal(effectOf(saying('search', 'read', 'ignored'), 'search', hint), 'remote-read')
  assert.equal(effectOf(saying('drop', 'read', 'ignored'), 'drop', hint), 'destructive')
})

test('the reason names what made it so', () => {
  const because = (definition: ServerDefinition, name: string): string =>
    judgeEffect(definition, { name }).because
  assert.equal(because(open, 'x'), 'nobody has said what it does')
  assert.equal(because(open, 'get page'), 'its definition says "read"')
  assert.equal(because(saying('purge', 'write'), 'purge'), 'its name says "purge"')
})

test('flipping a hint to what sounds worse never lowers the effect, and no hint goes below none', () => {
  const order = ['local-read', 'remote-read', 'write', 'destructive', 'exec']
  const rank = (...args: Parameters<typeof effectOf>): number => order.indexOf(effectOf(...args))
  const hints = fc.record({
    readOnlyHint: fc.boolean(),
    destructiveHint: fc.boolean(),
    openWorldHint: fc.boolean(),
    idempotentHint: fc.boolean(),
  })
  const names = fc.constantFrom('x', 'get page', 'save', 'delete it', 'exec')
  fc.assert(
    fc.property(fc.constantFrom(shutIn, open), names, hints, (definition, name, given) => {
      const now = rank(definition, name, given)
      assert.ok(now >= rank(definition, name))
      assert.ok(rank(definition, name, { ...given, destructiveHint: true }) >= now)
      assert.ok(rank(definition, name, { ...given, openWorldHint: true }) >= now)
      assert.equal(rank(definition, name, { ...given, readOnlyHint: !given.readOnlyHint }), now)
    }),
  )
})

test("the owner's mark counts where the definition is silent, for this program, and never against name or hint", () => {
  const mark = { semantics: 'read', hash: 'h', setHash: 's', program: programHashOf(open) } as const
  const judged = (definition: ServerDefinition, name: string, annotations: Annotations = {}) =>
    judgeEffect(definition, { name, annotations, mark }).effect
  assert.equal(judged(open, 'find'), 'remote-read')
  assert.equal(judgeEffect(open, { name: 'find', mark }).because, 'you said "read"')
  assert.equal(judged(open, 'save'), 'write', 'the definition speaks for it')
  assert.equal(judged(open, 'delete_all'), 'destructive')
  assert.equal(judged(open, 'find', { destructiveHint: true }), 'destructive')
  assert.equal(judged({ ...open, command: 'another' }, 'find'), 'destructive')
  assert.equal(judged({ ...open, allowedDomains: ['b.example'] }, 'find'), 'remote-read')
  assert.equal(sayerOf(open, { name: 'find', mark }), 'mark')
  assert.equal(sayerOf({ ...open, args: ['x'] }, { name: 'find', mark }), 'unsaid')
})
