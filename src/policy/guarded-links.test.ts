/** Links in others' words stay harmless however the text was put together, and whatever the owner endorsed stays whole. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../text/json.ts'
import { type Label, OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { OWNER } from '../kernel/principal.ts'
import { factsOf } from '../kernel/test-facts.ts'
import { createPolicy } from './create-policy.ts'

const THEIRS: Label = { integrity: 'external', level: 'internal', origins: new Set(['notes']) }
const theirs = (text: string): Labelled => new Labelled(text, { label: THEIRS })

test('a link in one piece of others is made harmless', () => {
  const body = Labelled.text(['See ', theirs('https://evil.example/p?d=1')], OWN_WORDS)
  assert.equal(sent({ body })['body'], 'See hxxps://evil[.]example/p?d=1')
})

test('so is one that is put together from two pieces of theirs', () => {
  const body = Labelled.text([theirs('https'), theirs('://evil.example/p?d=1')], OWN_WORDS)
  assert.doesNotMatch(JSON.stringify(sent({ body })), /https:\/\/evil\.example/)
})

test('and one whose beginning is the owner’s and whose rest is theirs', () => {
  const body = Labelled.text(['https://', theirs('evil.example/p?d=1')], OWN_WORDS)
  assert.doesNotMatch(JSON.stringify(sent({ body })), /https:\/\/evil\.example/)
})

test('and an image without a scheme', () => {
  const body = theirs('![x](//evil.example/p.png?d=1)')
  assert.doesNotMatch(JSON.stringify(sent({ body })), /\/\/evil\.example/)
})

test('a recipient that the owner endorsed is sent as it is', () => {
  const args = { to: theirs('ana@friends.example'), body: theirs('Hello') }
  assert.equal(sent(args, 'ana@friends.example')['to'], 'ana@friends.example')
})

function sent(args: Record<string, Labelled>, endorsed?: Json): Readonly<Record<string, Json>> {
  const policy = createPolicy({
    secrets: { isIn: () => false },
    grantsFor: () => [],
    isEndorsed: (_, value) => value === endorsed,
    alarm: () => undefined,
  })
  const task = { id: 't', step: '1', plan: 'user', callsBefore: 0 } as const
  const control = { integrity: 'user', bits: 0 } as const
  const request = {
    callId: '1',
    principal: OWNER,
    tool: FACTS.id,
    args,
    task: { ...task, control },
  }
  const { verdict, args: opened } = policy.open(request, policy.decide(request, FACTS))
  assert.equal(verdict.kind, 'allow')
  return opened
}

const FACTS = factsOf({ roles: new Map([['body', 'content']]) })
