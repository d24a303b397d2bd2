import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownTool } from '../../api/tools.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { type Answers, runFake } from '../fake-surface.ts'

const view: ShownTool = {
  card: {
    id: { server: parseServerId('notes'), name: 'find' },
    title: 'Find',
    summary: 'find: takes query',
    effect: 'destructive',
    args: [{ name: 'query', type: 'string', isRequired: true, role: 'query' }],
  },
  serverName: 'Notes',
  because: 'nobody has said what it does',
  blocked: 'collides',
  lookAlike: 'Find',
  roles: [
    { name: 'query', role: 'query', source: 'schema' },
    { name: 'odd\u001b[2J', role: 'content', source: 'owner' },
  ],
  fields: ['items[*].id'],
  learned: [],
  isVouchedFor: false,
  described: 'Finds\nit',
  flags: [{ kind: 'instruction', where: 'description', found: 'ignore all\u001b[8m' }],
  hash: 'a'.repeat(64),
}
const answers: Answers = {
  'tools.list': async () => ({
    tools: [{ card: view.card, blocked: 'disabled' }],
    flags: [{ kind: 'path', where: 'instructions', found: 'read ~/.ssh\u001b[8m' }],
  }),
  'tools.show': async () => view,
  'tools.set': async () => view,
  'mcp.changes': async () => ({
    changes: [{ name: 'find', now: { name: 'find' }, hash: view.hash }],
  }),
}
const run = (...args: readonly string[]) => runFake(['tools', ...args], answers)

test('tools list shows what each may do, and passes words on', async () => {
  const { code, stdout, calls } = await run('list', 'notes', '--search', 'find it')
  assert.equal(code, 0)
  assert.deepEqual(stdout.split('\n'), [
    'notes.find  destructive  switched off  find: takes query',
    '! instructions names a place where keys lie: read ~/.ssh\\u001b[8m',
    '',
  ])
  assert.deepEqual(calls, [['tools.list', { server: 'notes', search: 'find it' }]])
})

test('tools show tells the reasons, and foreign words do nothing to the terminal', async () => {
  const { stdout } = await run('show', 'notes.find')
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'notes.find: find: takes query',
    'Effect: destructive, since nobody has said what it does',
    'State: looks like another, not accepted; nobody vouches for its words',
    'Looks like: Find',
    `Pin: ${'a'.repeat(64)}`,
    'Arguments:',
    '  query         string  required  query    by its name and type',
    '  odd\\u001b[2J                    content  say you',
    "Answer: items[*].id is its service's own",
    "In its server's words: Finds\\nit",
    '! description gives orders to a model: ignore all\\u001b[8m',
  ])
})

test('tools diff shows what changed, with what is odd about it', async () => {
  const { stdout, calls } = await run('diff', 'notes')
  assert.match(stdout, /^! description gives orders/)
  assert.match(stdout, /find is new/)
  assert.deepEqual(
    calls.map(([route]) => route),
    ['mcp.changes', 'tools.show'],
  )
})

test("the owner's word is passed on, and only a word that exists", async () => {
  const cases: readonly (readonly [readonly string[], object])[] = [
    [['disable', 'notes.find'], { enabled: false }],
    [['enable', 'notes.find'], { enabled: true }],
    [
      ['roles', 'notes.find', 'query=content', 'a=b=target'],
      { roles: { query: 'content', 'a=b': 'target' } },
    ],
  ]
  for (const [words, said] of cases) {
    const { code, calls } = await run(...words)
    assert.equal(code, 0)
    assert.deepEqual(calls, [['tools.set', { server: 'notes', tool: 'find', ...said }]])
  }
  for (const words of [
    ['mark', 'notes.find', 'harmless'],
    ['roles', 'notes.find', 'query'],
    ['roles', 'notes.find', 'query=nothing'],
  ]) {
    const { code, calls, stderr } = await run(...words)
    assert.equal(code, 2)
    assert.deepEqual(calls, [])
    assert.match(stderr, /hint: /)
  }
})
