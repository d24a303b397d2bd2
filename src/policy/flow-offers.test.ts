import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from './decide.ts'
import { arg, ask, FOREIGN, MINE, type Wishes } from './test-question.ts'

function offersFor(wishes: Wishes): readonly string[] {
  const verdict = decide(ask(wishes))
  assert.equal(verdict.kind, 'ask')
  assert.equal(verdict.rule, 'flow')
  return verdict.kind === 'ask' ? verdict.offers : []
}

test('a flow grant is offered for data of a few servers, and not for a list that nobody reads', () => {
  const from = (count: number) => {
    const origins = Array.from({ length: count }, (_, at) => `server-${at}`)
    return { ...FOREIGN, origins: new Set(origins) }
  }
  assert.deepEqual(offersFor({ args: [arg('content', from(1))] }), ['flow'])
  assert.deepEqual(offersFor({ args: [arg('content', from(4))] }), ['flow'])
  assert.deepEqual(offersFor({ args: [arg('content', from(5))] }), [])
})

test('no flow grant is offered in a plan of others, or where others choose the target', () => {
  assert.deepEqual(offersFor({ args: [arg('content', FOREIGN)], task: { plan: 'external' } }), [])
  assert.deepEqual(offersFor({ args: [arg('content', FOREIGN), arg('target', FOREIGN)] }), [])
  assert.deepEqual(offersFor({ args: [arg('content', FOREIGN), arg('target', MINE)] }), ['flow'])
})
