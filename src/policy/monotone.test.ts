/** Nothing that makes a call more doubtful makes it easier: no raised label, no hint, no lost grant removes a question. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Verdict } from '../kernel/tool-call.ts'
import { decide } from './decide.ts'
import type { Question } from './question.ts'
import { questions, raises } from './test-arbitrary-question.ts'
import { rounds } from '../kernel/test-rounds.ts'

const STRICT: readonly Verdict['kind'][] = ['allow', 'ask', 'deny']

const strictness = (question: Question): number => STRICT.indexOf(decide(question).kind)

test('raising any part of a question never makes its verdict easier', () => {
  fc.assert(
    fc.property(questions, raises, (question, raise) => {
      assert.ok(strictness(raise(question)) >= strictness(question))
    }),
    { numRuns: rounds(20_000, 5000) },
  )
})

test('a template that asks for every change asks, whatever was granted', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const isChange = !question.facts.effect.endsWith('read')
      const asks = question.task.template?.asksForWrites === true
      if (asks && isChange) assert.notEqual(decide(question).kind, 'allow')
    }),
    { numRuns: rounds(20_000, 5000) },
  )
})

test('a plan made after untrusted results asks for every change, whatever was granted or approved', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const asked = { ...question, task: { ...question.task, asksForWrites: true as const } }
      if (!question.facts.effect.endsWith('read')) assert.notEqual(decide(asked).kind, 'allow')
      else assert.deepEqual(decide(asked), decide(question))
    }),
    { numRuns: rounds(20_000, 5000) },
  )
})

test('PLAN-3: a read with a value that nobody typed is asked about, whatever was granted or approved', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const asked = { ...question, task: { ...question.task, asksForRead: true as const } }
      assert.notEqual(decide(asked).kind, 'allow')
    }),
    { numRuns: rounds(20_000, 5000) },
  )
})

test('an allowed write with external content from elsewhere has its links made harmless', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const verdict = decide(question)
      const isForeign = question.args.some(
        ({ label: { integrity, origins }, role }) =>
          integrity === 'external' &&
          role === 'content' &&
          (origins.size === 0 || !origins.isSubsetOf(new Set(['mail']))),
      )
      const isChange = !question.facts.effect.endsWith('read')
      if (verdict.kind === 'allow' && isForeign && isChange) assert.ok(verdict.guard, verdict.rule)
    }),
    { numRuns: rounds(20_000, 5000) },
  )
})

test('every question has an answer, the same each time, with a rule and words', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const verdict = decide(question)
      assert.deepEqual(decide(question), verdict)
      assert.match(verdict.rule, /^[a-z][a-z.]+$/)
      if (verdict.kind !== 'allow') assert.ok(verdict.reason.length > 0)
    }),
  )
})
