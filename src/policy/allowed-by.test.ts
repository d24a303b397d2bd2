/** Permissions under which others may choose: each row is a question, and the verdict with the rule that gave it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label } from '../labels/label.ts'
import { decide } from './decide.ts'
import type { Argument } from './question.ts'
import { arg, ask, grant, MINE, OWN, type Wishes } from './test-question.ts'

type Rows = readonly (readonly [Wishes, string])[]

function decides(rows: Rows): void {
  for (const [wishes, expected] of rows) {
    const { kind, rule } = decide(ask(wishes))
    assert.equal(`${kind} ${rule}`, expected, JSON.stringify(wishes))
  }
}

const member = (of: string): Label => ({ ...OWN, bound: { kind: 'member', of } })
const entry = (of: string): Label => ({ ...OWN, bound: { kind: 'member', of, isDirectory: true } })
const LISTED = [arg('target', entry('mail')), arg('content', MINE)]
const SENDS = { facts: { roles: new Map([['body', 'content']] as const) } }
const PAYS = {
  facts: { roles: new Map([['note', 'content'] as const, ['sum', 'amount'] as const]) },
}
const DIRECTORY: Rows = [
  [{ ...SENDS, args: LISTED }, 'allow grant.directory'],
  [{ ...SENDS, args: [arg('target', entry('mail')), arg('content', OWN)] }, 'ask target.external'],
  [
    { ...SENDS, args: [arg('target', entry('drive')), arg('content', MINE)] },
    'ask target.external',
  ],
  // An id of the server that is no entry of its directory, and tools that carry no words, or money.
  [
    { ...SENDS, args: [arg('target', member('mail')), arg('content', MINE)] },
    'ask target.external',
  ],
  [{ ...SENDS, args: [arg('target', entry('mail'))] }, 'ask target.external'],
  [{ ...PAYS, args: LISTED }, 'ask target.external'],
]

test('own words may go to anyone in the directory of people or channels of the server itself', () => {
  decides(DIRECTORY)
})

const IDS = [{ ...grant('tool'), ids: true } as const]
const PICKED: Rows = [
  [{ args: [arg('target', member('mail'))] }, 'ask target.external'],
  [{ args: [arg('target', member('mail'))], grants: [grant('tool')] }, 'ask target.external'],
  [{ args: [arg('target', member('mail'))], grants: IDS }, 'allow grant.tool'],
  [{ args: [arg('target', member('mail')), arg('content', OWN)], grants: IDS }, 'allow grant.tool'],
  [{ args: [arg('target', member('drive'))], grants: IDS }, 'ask target.external'],
  [{ args: [arg('target', OWN)], grants: IDS }, 'ask target.external'],
  [{ args: [arg('amount', member('mail'))], grants: IDS }, 'ask target.external'],
  [
    {
      args: [arg('target', member('mail'))],
      grants: IDS,
      facts: { roles: new Map([['amount', 'amount']]) },
    },
    'ask target.external',
  ],
  [
    { args: [arg('target', member('mail'))], grants: IDS, task: { plan: 'external' } },
    'ask target.external',
  ],
]

test('a tool is granted for ids of its own server that others picked, and for no payment', () => {
  decides(PICKED)
  const offers = (label: Label): unknown => {
    const verdict = decide(ask({ args: [arg('target', label)] }))
    return verdict.kind === 'ask' && verdict.offers
  }
  assert.deepEqual(offers(member('mail')), ['endorse', 'tool'])
  assert.deepEqual(offers(member('drive')), ['endorse'])
})

const person = (acquaintance: 'named' | 'known', label: Label = OWN): Argument =>
  arg('target', label, { acquaintance })
const CONTACTS: Rows = [
  [{ args: [person('known'), arg('content', MINE)] }, 'allow grant.contact'],
  [{ args: [person('known'), arg('content', OWN)] }, 'ask target.external'],
  [{ args: [person('known')] }, 'ask target.external'],
  [{ args: [person('known'), arg('amount', MINE)] }, 'ask target.external'],
  [
    { args: [person('known'), arg('content', MINE)], task: { plan: 'external' } },
    'ask target.external',
  ],
  [{ args: [person('named'), arg('content', OWN)] }, 'allow write.content'],
  [
    { args: [person('named'), arg('content', OWN)], task: { plan: 'external' } },
    'ask plan.external',
  ],
  [
    { facts: { effect: 'destructive' }, grants: [grant('tool')], args: [person('named')] },
    'allow grant.tool',
  ],
  [{ args: [person('named'), arg('locator', OWN)] }, 'ask target.external'],
]

test('own words may go to a contact, and any words to one whom the owner named', () => {
  decides(CONTACTS)
})

test('an address in a message may become a contact; an id, a payment and a plan of others offer none', () => {
  const address = arg('target', OWN, { isAddress: true })
  const offers = (wishes: Wishes): unknown => {
    const verdict = decide(ask(wishes))
    return verdict.kind === 'ask' && verdict.offers
  }
  assert.deepEqual(offers({ args: [address, arg('content', OWN)] }), ['endorse', 'contact'])
  assert.deepEqual(offers({ args: [address] }), ['endorse'])
  assert.deepEqual(offers({ args: [arg('target', OWN), arg('content', OWN)] }), ['endorse'])
  const planned = { args: [address, arg('content', OWN)], task: { plan: 'external' } } as const
  assert.deepEqual(offers(planned), ['endorse'])
})
