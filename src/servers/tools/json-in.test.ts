import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonIn } from './json-in.ts'

const asIs = (text: string): string => text
const said = (value: unknown) => [{ type: 'text', text: JSON.stringify(value) }]

test('a text that is JSON is read as such; what others wrote stays inside its strings', () => {
  const title = '"}], "id": 1, "items": [{"id": "theirs'
  assert.deepEqual(jsonIn(said({ id: 7, title }), asIs), { id: 7, title })
  assert.deepEqual(jsonIn(said([{ id: 1 }]), asIs), [{ id: 1 }])
})

test('anything else stays as it came', () => {
  const text = { type: 'text', text: '{"id": 1}' }
  for (const content of [
    [text, text],
    [],
    [{ type: 'text', text: 'Found {"id": 1}' }],
    [{ type: 'text', text: '{"id": 1} {"id": 2}' }],
    said('a word'),
    said(7),
    said(null),
    [{ type: 'image', text: '{}' }],
    [{ type: 'text' }],
    { type: 'text', text: '{}' },
    '{}',
    [{ type: 'text', text: `${'['.repeat(5000)}${']'.repeat(5000)}` }],
  ]) {
    assert.equal(jsonIn(content as never, asIs), undefined, JSON.stringify(content).slice(0, 80))
  }
})

test('a secret that only escapes kept apart is hidden', () => {
  const hide = (text: string): string => text.replaceAll('canary', '[redacted]')
  const content = [{ type: 'text', text: '{"a": "can\\u0061ry"}' }]
  assert.deepEqual(jsonIn(content, hide), { a: '[redacted]' })
})
