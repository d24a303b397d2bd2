import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { readAnswer } from './tool-answer.ts'

const asIs = (text: string): string => text
const hide = (text: string): string => text.replaceAll('secret', '*')

test('structured content is the value where there is any, else the blocks are', () => {
  const content = [{ type: 'text', text: 'hi' }]
  assert.deepEqual(readAnswer({ content, structuredContent: { a: 1 } }, asIs), {
    kind: 'ok',
    value: { a: 1 },
    structured: true,
    beside: content,
  })
  assert.deepEqual(readAnswer({ content }, asIs), { kind: 'ok', value: content, structured: false })
  assert.deepEqual(readAnswer({}, asIs), { kind: 'ok', value: [], structured: false })
})

test('content beside the structured one is kept unless it only repeats it', () => {
  const besideOf = (structuredContent: Json, ...content: Json[]) => {
    const answer = readAnswer({ structuredContent, content }, hide)
    return answer.kind === 'ok' ? answer.beside : answer
  }
  const text = (words: string) => ({ type: 'text', text: words })
  const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
  assert.equal(besideOf({ a: 1, b: [2] }, text('{ "b": [2], "a": 1 }')), undefined)
  assert.equal(besideOf({ content: 'whole' }, text('whole')), undefined)
  assert.equal(besideOf({ entities: [{ a: 1 }] }, text('[{ "a": 1 }]')), undefined)
  assert.deepEqual(besideOf({ a: 1 }, text('{"a":1}'), picture, text('a secret')), [
    picture,
    text('a *'),
  ])
  assert.deepEqual(besideOf({ a: 1 }, text('{"a":2}')), [text('{"a":2}')])
})

test('all texts of an error are told, and its structured content if there is no text', () => {
  const content = [
    { type: 'text', text: 'Cannot do it' },
    { type: 'image' },
    { type: 'text', text: 'line 3: no' },
  ]
  const reasonOf = (raw: Json) => {
    const answer = readAnswer(raw, hide)
    return answer.kind === 'failed' ? answer.reason : answer
  }
  assert.equal(reasonOf({ isError: true, content }), 'Cannot do it\nline 3: no')
  const structuredContent = { code: 7, why: 'a secret' }
  assert.equal(
    reasonOf({ isError: true, content: [], structuredContent }),
    '{"code":7,"why":"a *"}',
  )
})

test('every text and every key is cleaned, and a key named like a prototype stays a key', () => {
  const raw = JSON.parse(
    '{"structuredContent":{"__proto__":["secret"],"my secret":{"a":"\\ud800"}}}',
  )
  const answer = readAnswer(raw, hide)
  assert.ok(answer.kind === 'ok')
  assert.equal(JSON.stringify(answer.value), '{"__proto__":["*"],"my *":{"a":"\ufffd"}}')
  assert.equal(Object.getPrototypeOf(answer.value), Object.prototype)
})

test('an error without words is an unknown error; one with a secret hides it', () => {
  assert.deepEqual(readAnswer({ isError: true, content: [{ type: 'image' }] }, asIs), {
    kind: 'failed',
    reason: 'unknown error',
  })
  assert.deepEqual(
    readAnswer({ isError: true, content: [{ type: 'text', text: 'a secret' }] }, hide),
    {
      kind: 'failed',
      reason: 'a *',
    },
  )
})

test('a secret in an error is hidden though it was split or stands at the limit', () => {
  const reasonFor = (text: string): string => {
    const answer = readAnswer({ isError: true, content: [{ type: 'text', text }] }, hide)
    return answer.kind === 'failed' ? answer.reason : ''
  }
  assert.equal(reasonFor('a sec\u200bret\u001b[2J'), 'a *[2J')
  assert.equal(reasonFor(`${'x'.repeat(1997)}secret`), `${'x'.repeat(1997)}*`)
})

test('an answer that is no object, too large or too deep is a failure, not an exception', () => {
  assert.equal(readAnswer('text', asIs).kind, 'failed')
  assert.equal(readAnswer({ content: ['x'.repeat(11 * 2 ** 20)] }, asIs).kind, 'failed')
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  assert.equal(readAnswer({ structuredContent: deep }, asIs).kind, 'failed')
})
