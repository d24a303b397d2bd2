/** The whole policy room: a request as a caller makes it, against the facts of the tool. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Grant } from '../kernel/grant.ts'
import type { Json } from '../text/json.ts'
import { type Label, OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { ownCall } from '../kernel/own-call.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { factsOf } from '../kernel/test-facts.ts'
import type { CallRequest } from '../kernel/tool-call.ts'
import { createPolicy, type PolicyDeps } from './create-policy.ts'

const SECRET = 'ghp_0123456789abcdef'
const tool = { server: parseServerId('mail'), name: 'send' }
const facts = factsOf({ id: tool, roles: new Map([['body', 'content']]) })
const theirs: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }

function policyWith(deps: Partial<PolicyDeps> = {}) {
  return createPolicy({
    secrets: { isIn: (text) => text.includes(SECRET) },
    grantsFor: () => [],
    isEndorsed: () => false,
    alarm: () => undefined,
    ...deps,
  })
}

function request(args: Readonly<Record<string, Labelled>>, words = ''): CallRequest {
  const { task, ...call } = ownCall(OWNER, tool, {})
  return { ...call, args, task: { ...task, words } }
}

const judge = (args: Readonly<Record<string, Json>>): string => {
  const policy = policyWith()
  const call = ownCall(OWNER, tool, args)
  const { verdict } = policy.open(call, policy.decide(call, { ...facts, effect: 'local-read' }))
  return `${verdict.kind} ${verdict.rule}`
}

test('POLICY-1: what the vault has lent is never sent, wherever in the arguments it is hidden', () => {
  assert.equal(judge({ q: 'hello' }), 'allow read.local')
  assert.equal(judge({ q: `my key is ${SECRET}!` }), 'deny secret')
  assert.equal(judge({ q: { deep: [{ down: SECRET }] } }), 'deny secret')
  assert.equal(judge({ q: { [SECRET]: 1 } }), 'deny secret')
  assert.equal(judge({ a: SECRET.slice(0, 9), b: SECRET.slice(9) }), 'deny secret')
  assert.equal(judge({ q: SECRET.split('').join(' ') }), 'deny secret')
  assert.equal(judge({ q: SECRET.split('').join('\u200b') }), 'deny secret')
  assert.equal(judge({ q: SECRET.replace('g', '\uff47') }), 'deny secret')
})

test('POLICY-1: a secret of digits is not sent as a number either', () => {
  const policy = policyWith({ secrets: { isIn: (text) => text.includes('4929173') } })
  const verdictOn = (args: Record<string, Json>): string => {
    const call = ownCall(OWNER, tool, args)
    return policy.open(call, policy.decide(call, facts)).verdict.kind
  }
  assert.equal(verdictOn({ pin: 4_929_173 }), 'deny')
  assert.equal(verdictOn({ pins: [[1, 4_929_173]] }), 'deny')
  assert.equal(verdictOn({ pins: [4929, 173] }), 'allow')
})

test('an argument of any name is looked at and sent', () => {
  const policy = policyWith()
  const call = ownCall(OWNER, tool, JSON.parse('{"__proto__": "x", "constructor": "y"}'))
  assert.equal(policy.decide(call, facts).kind, 'allow')
  const { args } = policy.open(call, { kind: 'allow', rule: 'x' })
  assert.equal(JSON.stringify(args), '{"__proto__":"x","constructor":"y"}')
  assert.equal(judge(JSON.parse(`{"__proto__": "${SECRET}"}`)), 'deny secret')
})

test('an alarm is raised when somebody tries', () => {
  const alarms: string[] = []
  const policy = policyWith({ alarm: ({ callId }) => alarms.push(callId) })
  const call = ownCall(OWNER, tool, { q: SECRET }, 'c7')
  policy.open(call, policy.decide(call, facts))
  assert.deepEqual(alarms, ['c7'])
})

test('an argument that nobody knows steers; one that is known as content does not', () => {
  const policy = policyWith()
  const said = new Labelled('x', { label: theirs })
  assert.equal(policy.decide(request({ body: said }), facts).kind, 'allow')
  assert.equal(policy.decide(request({ other: said }), facts).rule, 'target.external')
})

test('a value that the owner allowed for the task steers no more, and only in that task', () => {
  const isEndorsed = (_task: string, value: Json): boolean => value === 'bob'
  const policy = policyWith({ isEndorsed })
  const to = (name: string): CallRequest => request({ to: new Labelled(name, { label: theirs }) })
  assert.equal(policy.decide(to('bob'), facts).kind, 'allow')
  assert.equal(policy.decide(to('eve'), facts).kind, 'ask')
})

test('no grant survives a change of its tool or its server', () => {
  const given = { id: 'g', owner: OWNER.id, server: tool.server, tool: tool.name }
  const when = { createdAt: 0, expiresAt: 1, usesLeft: 1 }
  const grant: Grant = { ...given, ...when, kind: 'tool', hash: 'h', serverPin: 'p' }
  const policy = policyWith({ grantsFor: () => [grant] })
  const call = ownCall(OWNER, tool, { to: 'bob' })
  const destructive = { ...facts, effect: 'destructive' } as const
  assert.equal(policy.decide(call, destructive).rule, 'grant.tool')
  assert.equal(policy.decide(call, { ...destructive, hash: 'other' }).rule, 'destructive')
  assert.equal(policy.decide(call, { ...destructive, serverPin: 'other' }).rule, 'destructive')
})

test('links in words of others are made harmless on the way out, and those of the owner are not', () => {
  const policy = policyWith()
  const body = Labelled.text(
    ['see http://mine.example and ', new Labelled('http://evil.example', { label: theirs })],
    OWN_WORDS,
  )
  const call = request({ body, to: new Labelled('bob', { label: OWN_WORDS }) })
  const { args } = policy.open(call, policy.decide(call, facts))
  assert.deepEqual(args, { body: 'see http://mine.example and hxxp://evil[.]example', to: 'bob' })
})
