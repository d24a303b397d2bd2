/** A grant for a tool, where the only untrusted arguments are ids of the same server; and tools that only claim to read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label } from '../labels/label.ts'
import { decide } from './decide.ts'
import { arg, ask, FOREIGN, grant, OWN, type Wishes } from './test-question.ts'

type Rows = readonly (readonly [Wishes, string])[]

const CLAIMED = { effect: 'destructive', claims: 'read' } as const
const LISTED: Label = { ...OWN, bound: { kind: 'member', of: 'mail' } }
const WIDE = { ...grant('tool'), kind: 'tool', ids: true } as const

const OWN_IDS: Rows = [
  // One of the server's own ids: offered, and allowed only with a grant that says so.
  [{ facts: { effect: 'destructive' }, args: [arg('target', LISTED)] }, 'ask destructive'],
  [
    { facts: { effect: 'destructive' }, args: [arg('target', LISTED)], grants: [grant('tool')] },
    'ask destructive',
  ],
  [
    { facts: { effect: 'destructive' }, args: [arg('target', LISTED)], grants: [WIDE] },
    'allow grant.tool',
  ],
  // Free text of the same server, an id out of another server's list, an address: never.
  [
    { facts: { effect: 'destructive' }, args: [arg('target', OWN)], grants: [WIDE] },
    'ask destructive',
  ],
  [
    {
      facts: { effect: 'destructive' },
      args: [arg('target', { ...FOREIGN, level: 'public', bound: { kind: 'member', of: 'mail' } })],
      grants: [WIDE],
    },
    'ask destructive',
  ],
  [
    { facts: { effect: 'destructive' }, args: [arg('locator', LISTED)], grants: [WIDE] },
    'ask destructive',
  ],
  [{ facts: { effect: 'exec' }, args: [arg('target', LISTED)], grants: [WIDE] }, 'ask exec'],
  // A tool that claims to read may be granted for whatever its own server said, and is asked about until then.
  [{ facts: CLAIMED }, 'ask destructive'],
  [{ facts: CLAIMED, args: [arg('target', OWN)] }, 'ask destructive'],
  [{ facts: CLAIMED, args: [arg('target', OWN)], grants: [grant('tool')] }, 'ask destructive'],
  [{ facts: CLAIMED, args: [arg('target', OWN)], grants: [WIDE] }, 'allow grant.tool'],
  [{ facts: CLAIMED, args: [arg('locator', OWN)], grants: [WIDE] }, 'ask destructive'],
  [
    { facts: CLAIMED, args: [arg('target', { ...FOREIGN, level: 'public' })], grants: [WIDE] },
    'ask destructive',
  ],
]

test('a grant for a tool covers ids of its own server only if the owner was told so', () => {
  for (const [wishes, expected] of OWN_IDS) {
    const { kind, rule } = decide(ask(wishes))
    assert.equal(`${kind} ${rule}`, expected, JSON.stringify(wishes))
  }
})

test('the grant is offered where it would hold, and a claimed read is asked about as one', () => {
  const offered = (wishes: Wishes): readonly string[] => {
    const verdict = decide(ask(wishes))
    return verdict.kind === 'ask' ? verdict.offers : []
  }
  const facts = { effect: 'destructive' } as const
  assert.deepEqual(offered({ facts, args: [arg('target', LISTED)] }), ['tool'])
  assert.deepEqual(offered({ facts: CLAIMED, args: [arg('query', OWN)] }), ['tool'])
  assert.deepEqual(offered({ facts, args: [arg('target', OWN)] }), [])
  assert.deepEqual(offered({ facts: CLAIMED, args: [arg('locator', OWN)] }), [])
  const verdict = decide(ask({ facts: CLAIMED }))
  assert.match(verdict.kind === 'ask' ? verdict.reason : '', /says it only reads, and nobody/)
})
