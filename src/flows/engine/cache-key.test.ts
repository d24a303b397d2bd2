import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { type Label, OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { OWNER, parsePrincipalId } from '../../kernel/principal.ts'
import { cacheKey, nodeHashOf } from './cache-key.ts'
import { fakeNode, TOOLS } from '../nodes/fake-nodes.ts'

const value = (json: Json, label: Label = OWN_WORDS): Labelled => new Labelled(json, { label })
const step = {
  nodeHash: 'n',
  params: { a: 1, b: 2 },
  inputs: { x: value('1'), y: value('2') },
  principal: OWNER.id,
  account: 'alice',
}

test('the key is the same for the same step, in whatever order it is written', () => {
  const other = { ...step, params: { b: 2, a: 1 }, inputs: { y: value('2'), x: value('1') } }
  assert.match(cacheKey(step) ?? '', /^[0-9a-f]{64}$/)
  assert.equal(cacheKey(other), cacheKey(step))
})

test('any difference gives another key: node, params, inputs, labels, principal, account', () => {
  const secretive: Label = { ...OWN_WORDS, level: 'sensitive' }
  const others = [
    { ...step, nodeHash: 'm' },
    { ...step, account: 'bob' },
    { ...step, params: { a: 1 } },
    { ...step, params: { a: '1', b: 2 } },
    { ...step, inputs: { x: value('2'), y: value('1') } },
    { ...step, inputs: { x: value(1), y: value('2') } },
    { ...step, inputs: { x: value('1') } },
    { ...step, inputs: { x: value('1', secretive), y: value('2') } },
    { ...step, principal: parsePrincipalId('principal:cron') },
    { ...step, inputs: { 'x": ': value('1'), y: value('2') } },
  ]
  const keys = [step, ...others].map(cacheKey)
  assert.equal(new Set(keys).size, keys.length)
})

test('cacheKey() differs where the same text is split into other parts', () => {
  const one = cacheKey({ ...step, nodeHash: 'ab', inputs: { c: value('') } })
  const two = cacheKey({ ...step, nodeHash: 'a', inputs: { bc: value('') } })
  assert.notEqual(one, two)
})

test('a value with a lone surrogate has no cache key', () => {
  assert.equal(cacheKey({ ...step, inputs: { x: value('\ud800') } }), undefined)
  assert.equal(cacheKey({ ...step, params: '\ud800' }), undefined)
})

test('a tool that changed is another node', () => {
  const [tool = assert.fail()] = TOOLS
  const then = fakeNode(tool)
  const now = fakeNode({ ...tool, hash: 'other' })
  assert.notEqual(nodeHashOf(then), nodeHashOf(now))
  assert.equal(nodeHashOf(then), nodeHashOf(fakeNode(tool)))
  const label: Label = { ...OWN_WORDS, level: 'sensitive' }
  assert.notEqual(nodeHashOf(then), nodeHashOf({ ...then, answers: { label } }))
})
