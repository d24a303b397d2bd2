/** Choices that untrusted data makes: booleans and enums, loops, and what a call tells by being made. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label, Level } from '../labels/label.ts'
import { decide } from './decide.ts'
import { arg, ask, grant, MINE, OWN, type Wishes } from './test-question.ts'

type Rows = readonly (readonly [Wishes, string])[]

function decides(rows: Rows): void {
  for (const [wishes, verdict] of rows) {
    const { kind, rule } = decide(ask(wishes))
    assert.equal(`${kind} ${rule}`, verdict, JSON.stringify(wishes))
  }
}

const KNOWN: Label = { ...OWN, integrity: 'system' }
const bounded = (kind: 'bool' | 'enum'): Label => ({ ...OWN, bound: { kind } })
const oneOf = (size: number): Label => ({ ...OWN, bound: { kind: 'enum', size } })
const spent = (bits: number): Wishes => ({ task: { control: { integrity: 'user', bits } } })
const CHOICES: Rows = [
  [{ args: [arg('target', oneOf(16))] }, 'allow write.content'],
  [{ args: [arg('target', oneOf(17))] }, 'ask target.external'],
  [{ args: [arg('target', bounded('enum'))] }, 'ask target.external'],
  [{ args: [arg('target', oneOf(16)), arg('query', bounded('bool'))] }, 'ask target.external'],
  [{ args: [arg('target', oneOf(16)), arg('content', oneOf(99))] }, 'allow write.content'],
  [{ args: [arg('target', bounded('bool'))], ...spent(4) }, 'allow write.content'],
  [{ args: [arg('target', bounded('bool'))], ...spent(5) }, 'ask target.external'],
  [
    { args: [arg('target', bounded('bool'), { isEndorsed: true })], ...spent(5) },
    'allow write.content',
  ],
  [{ args: [arg('target', bounded('bool'), { name: 'isPublic' })] }, 'ask target.external'],
  [{ args: [arg('target', KNOWN, { name: 'isPublic' })] }, 'allow write.own'],
  [{ args: [arg('content', bounded('bool'), { name: 'isPublic' })] }, 'allow write.content'],
]

test('booleans and enums of others share four bits, and never say what is public', () => {
  decides(CHOICES)
})

const looped = (times: number): Wishes => ({
  task: { control: { integrity: 'user', bits: 0, times } },
})
const LOOPS: Rows = [
  [{ ...looped(2), args: [arg('content', MINE)] }, 'ask loop.external'],
  [{ ...looped(1), args: [arg('content', MINE)] }, 'ask loop.external'],
  [{ ...looped(30), facts: { effect: 'remote-read' } }, 'allow read.remote'],
  [{ ...looped(30), facts: { effect: 'destructive' }, grants: [grant('tool')] }, 'ask destructive'],
  [
    { ...looped(30), args: [arg('amount', OWN, { amount: 5 })], grants: [grant('spend')] },
    'ask target.external',
  ],
]

test('a loop over somebody else’s list asks for every change in it, and for no read', () => {
  decides(LOOPS)
  const verdict = decide(ask(looped(30)))
  assert.equal(verdict.kind === 'ask' && verdict.reason.startsWith('It runs 30 times'), true)
})

const decided = (level: Level, ...origins: string[]): Wishes => ({
  task: { control: { integrity: 'user', bits: 0, level, origins } },
})
const CONTROL: Rows = [
  [decided('sensitive', 'drive'), 'ask flow'],
  [{ ...decided('sensitive', 'drive'), facts: { effect: 'remote-read' } }, 'ask flow'],
  [{ ...decided('sensitive', 'drive'), grants: [grant('flow')] }, 'allow write.own'],
  [decided('regulated', 'drive'), 'ask flow.regulated'],
  [decided('sensitive', 'mail'), 'allow write.own'],
  [decided('internal', 'drive'), 'allow write.own'],
  [decided('sensitive'), 'allow write.own'],
]

test('POLICY-7: a call tells its server the data of others that decided whether it is made', () => {
  decides(CONTROL)
})
