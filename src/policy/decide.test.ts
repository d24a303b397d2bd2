/** The decision table, row by row, without the rest of the room. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Effect } from '../kernel/effect.ts'
import type { Grant } from '../kernel/grant.ts'
import type { Label } from '../labels/label.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { Template } from '../kernel/tool-call.ts'
import type { Blocked, Role } from '../kernel/tool-facts.ts'
import { decide } from './decide.ts'
import type { Argument, Question } from './question.ts'

const server = parseServerId('mail')
const mine: Label = { integrity: 'user', level: 'internal', origins: new Set() }
const own: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }
const foreign: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['drive']) }
const known: Label = { integrity: 'system', level: 'sensitive', origins: new Set(['mail']) }

function arg(role: Role, label: Label, more: Partial<Argument> = {}): Argument {
  return { name: role, role, label, isEndorsed: false, ...more }
}

interface Wishes extends Partial<Omit<Question, 'facts'>> {
  readonly effect?: Effect
  readonly blocked?: Blocked
}

function ask({ effect = 'write', blocked, ...more }: Wishes = {}): Question {
  return {
    principal: 'owner',
    facts: {
      id: { server, name: 'send' },
      serverName: 'Mail',
      ...(blocked && { blocked }),
      effect,
      roles: new Map(),
      clearance: { own: 'sensitive', others: 'internal' },
      hash: 'h',
      serverPin: 'p',
      isVouchedFor: true,
    },
    args: [],
    task: {
      id: 't',
      step: '1',
      plan: 'user',
      control: { integrity: 'user', bits: 0 },
      callsBefore: 0,
    },
    grants: [],
    ...more,
  }
}

const ruleOf = (wishes: Wishes): string => {
  const { kind, rule } = decide(ask(wishes))
  return `${kind} ${rule}`
}
const task = ask().task

test('what is secret never leaves, whoever asks and whatever was granted', () => {
  const secret: Label = { ...mine, level: 'secret' }
  assert.equal(ruleOf({ args: [arg('content', secret)], grants: [grant('tool')] }), 'deny secret')
})

test('a tool that is not there, changed, collides or is switched off is refused', () => {
  for (const blocked of ['unknown', 'quarantined', 'collides', 'disabled'] as const) {
    assert.equal(ruleOf({ blocked, effect: 'local-read' }), `deny tool.${blocked}`)
  }
  const planned = { ...task, expects: 'another' }
  assert.equal(ruleOf({ task: planned, effect: 'local-read' }), 'deny tool.changed')
})

test('POLICY-7: what came from one server does not go to another unasked, and goes back where it came from', () => {
  assert.equal(ruleOf({ args: [arg('content', foreign)] }), 'ask flow')
  assert.equal(ruleOf({ args: [arg('content', own)] }), 'allow write.content')
  const open: Label = { ...foreign, level: 'public' }
  assert.equal(ruleOf({ args: [arg('content', open)] }), 'allow write.content')
  const trusted: Label = { ...foreign, integrity: 'system' }
  assert.equal(ruleOf({ args: [arg('query', trusted)], effect: 'remote-read' }), 'ask flow')
})

test('regulated data is asked about every time, whatever was granted', () => {
  const regulated: Label = { ...foreign, level: 'regulated' }
  const args = [arg('content', regulated)]
  assert.equal(ruleOf({ args, grants: [grant('flow')] }), 'ask flow.regulated')
})

test('a granted way from one origin opens that way and no other', () => {
  const args = [arg('content', foreign)]
  assert.equal(ruleOf({ args, grants: [grant('flow')] }), 'allow write.content')
  const verdict = decide(ask({ args, grants: [grant('flow')] }))
  assert.deepEqual(verdict.kind === 'allow' && verdict.grants, ['g'])
  const unused = decide(ask({ args: [arg('content', own)], grants: [grant('flow')] }))
  assert.equal(unused.kind === 'allow' && unused.grants, undefined)
  const both: Label = { ...foreign, origins: new Set(['drive', 'bank']) }
  assert.equal(ruleOf({ args: [arg('content', both)], grants: [grant('flow')] }), 'ask flow')
})

test('a way is offered only where the plan and all targets are trusted', () => {
  const offers = (args: readonly Argument[], plan = task): unknown => {
    const verdict = decide(ask({ args, task: plan }))
    return verdict.kind === 'ask' ? verdict.offers : verdict
  }
  assert.deepEqual(offers([arg('content', foreign)]), ['flow'])
  assert.deepEqual(offers([arg('content', foreign), arg('target', own)]), [])
  assert.deepEqual(offers([arg('content', foreign)], { ...task, plan: 'external' }), [])
})

test('what runs commands is always asked; what cannot be undone may be granted, with trusted targets', () => {
  assert.equal(ruleOf({ effect: 'exec', grants: [grant('tool')] }), 'ask exec')
  assert.equal(ruleOf({ effect: 'destructive' }), 'ask destructive')
  const trusted = { effect: 'destructive', grants: [grant('tool')] } as const
  assert.equal(ruleOf({ ...trusted, args: [arg('target', known)] }), 'allow grant.tool')
  assert.equal(ruleOf({ ...trusted, args: [arg('target', own)] }), 'ask destructive')
})

test('POLICY-2: words of others that decide to whom, where or how much are asked about', () => {
  for (const role of ['target', 'locator', 'amount', 'query'] as const) {
    assert.equal(ruleOf({ args: [arg(role, own)] }), 'ask target.external')
    assert.equal(ruleOf({ args: [arg(role, own, { isEndorsed: true })] }), 'allow write.content')
    assert.equal(ruleOf({ args: [arg(role, known)] }), 'allow write.own')
  }
  const typed: Label = { ...own, bound: { kind: 'number' } }
  assert.equal(ruleOf({ args: [arg('amount', typed)] }), 'ask target.external')
  for (const kind of ['bool', 'enum'] as const) {
    const chosen: Label = { ...own, bound: { kind } }
    assert.equal(ruleOf({ args: [arg('target', chosen)] }), 'allow write.content')
  }
})

test('a server may be asked about its own things, but not led elsewhere', () => {
  const reading = { effect: 'remote-read' } as const
  assert.equal(ruleOf({ ...reading, args: [arg('query', own)] }), 'allow read.remote')
  assert.equal(ruleOf({ ...reading, args: [arg('target', own)] }), 'allow read.remote')
  assert.equal(ruleOf({ ...reading, args: [arg('locator', own)] }), 'ask target.external')
  const leak: Label = { ...own, level: 'internal', origins: new Set(['mail', 'drive']) }
  assert.equal(ruleOf({ ...reading, args: [arg('query', leak)] }), 'ask target.external')
})

test('own words may go to anyone in the directory of the server itself', () => {
  const listed: Label = { ...own, bound: { kind: 'member', of: 'mail' } }
  const args = [arg('target', listed), arg('content', mine)]
  assert.equal(ruleOf({ args }), 'allow grant.directory')
  assert.equal(
    ruleOf({ args: [arg('target', listed), arg('content', own)] }),
    'ask target.external',
  )
  const elsewhere: Label = { ...own, bound: { kind: 'member', of: 'drive' } }
  assert.equal(
    ruleOf({ args: [arg('target', elsewhere), arg('content', mine)] }),
    'ask target.external',
  )
})

test('a cap holds for amounts up to it, and for nothing else that steers', () => {
  const capped = { grants: [grant('spend')] }
  const amount = (value: number): Argument => arg('amount', own, { amount: value })
  assert.equal(ruleOf({ ...capped, args: [amount(50), arg('target', mine)] }), 'allow grant.spend')
  assert.equal(ruleOf({ ...capped, args: [amount(50.01)] }), 'ask target.external')
  assert.equal(ruleOf({ ...capped, args: [amount(-1)] }), 'ask target.external')
  assert.equal(ruleOf({ ...capped, args: [amount(50), arg('target', own)] }), 'ask target.external')
})

test('a plan of somebody else’s asks for every change, and for every word that leaves', () => {
  const theirs = { task: { ...task, plan: 'external' } } as const
  assert.equal(ruleOf(theirs), 'ask plan.external')
  assert.equal(ruleOf({ ...theirs, effect: 'local-read' }), 'allow read.local')
  assert.equal(ruleOf({ ...theirs, effect: 'remote-read' }), 'allow read.remote')
  const told: Label = { ...mine, origins: new Set(['user']) }
  const reading = { ...theirs, effect: 'remote-read' } as const
  assert.equal(ruleOf({ ...reading, args: [arg('content', told)] }), 'ask plan.external')
})

test('a branch that others chose runs only where every word of it is fixed, and not too often', () => {
  const guarded = (bits: number) => ({ ...task, control: { integrity: 'external', bits } as const })
  assert.equal(ruleOf({ task: guarded(4), args: [arg('content', mine)] }), 'allow write.own')
  assert.equal(ruleOf({ task: guarded(5), args: [arg('content', mine)] }), 'ask plan.external')
  assert.equal(ruleOf({ task: guarded(1), args: [arg('content', own)] }), 'ask plan.external')
})

const template: Template = {
  name: 'daily report',
  allowed: ['mail.*'],
  denied: ['mail.delete'],
  maxCalls: 3,
  ceiling: 'internal',
  sinks: [],
  asksForWrites: false,
}

test('whoever is not the owner acts within a template, or not at all', () => {
  const cron = { principal: 'cron', task: { ...task, template } } as const
  assert.equal(ruleOf({ principal: 'cron' }), 'deny template.none')
  assert.equal(ruleOf(cron), 'allow write.own')
  const within = (change: Partial<Template>) => ({ ...task, template: { ...template, ...change } })
  assert.equal(ruleOf({ ...cron, task: within({ allowed: ['drive.*'] }) }), 'deny template.tool')
  assert.equal(ruleOf({ ...cron, task: within({ denied: ['*'] }) }), 'deny template.tool')
  assert.equal(ruleOf({ ...cron, task: { ...cron.task, callsBefore: 3 } }), 'deny template.budget')
  assert.equal(ruleOf({ ...cron, args: [arg('content', own)] }), 'deny template.ceiling')
  assert.equal(ruleOf({ ...cron, task: within({ asksForWrites: true }) }), 'ask template.writes')
})

function grant(kind: Grant['kind']): Grant {
  const facts = { id: 'g', owner: OWNER.id, server, tool: 'send', hash: 'h', serverPin: 'p' }
  const when = { createdAt: 0, expiresAt: 1, usesLeft: 1 }
  if (kind === 'flow') return { ...facts, ...when, kind, origin: 'drive' }
  return kind === 'spend' ? { ...facts, ...when, kind, max: 50 } : { ...facts, ...when, kind }
}
