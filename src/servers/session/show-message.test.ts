import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showMessage } from './show-message.ts'

const redact = (text: string): string => text.replaceAll('lent-words', '*').replaceAll('4711', '#')

function show(message: unknown, max = 1000): string {
  return showMessage(message, redact, max)
}

test('a message is shown as the JSON that it is', () => {
  const message = { jsonrpc: '2.0', id: 1, params: { list: [1, null, true, 'é'], none: {} } }
  assert.equal(show(message), JSON.stringify(message))
  assert.equal(show({ left: undefined, kept: [] }), '{"kept":[]}')
})

test('a lent secret is masked in texts, names and numbers, though invisible characters split it', () => {
  assert.equal(show({ 'lent-words': 'a lent-\u200bwords' }), '{"*":"a *"}')
  assert.equal(show({ pin: 4711 }), '{"pin":#}')
})

test('a text is masked by the name of its member or by its shape, also if Cordon never held it', () => {
  const found = show({
    apiKey: 'abc',
    token: 'x',
    progressToken: 7,
    text: `ghp_${'a1B2'.repeat(9)}`,
  })
  assert.equal(
    found,
    '{"apiKey":"[masked]","token":"[masked]","progressToken":7,"text":"[hidden]"}',
  )
})

test('the answer of the owner to a form is not shown, whatever its place', () => {
  const answer = { action: 'accept', content: { name: 'Ana' } }
  for (const message of [{ result: answer }, { params: { inputResponses: { one: answer } } }]) {
    const shown = show(message)
    assert.ok(!shown.includes('Ana'), shown)
    assert.match(shown, /"action":"accept"/)
  }
  assert.match(show({ result: { content: [{ type: 'text', text: 'Ana' }] } }), /Ana/)
})

test('a long message is cut, and no half of a secret stays at the cut', () => {
  assert.equal(show(['x'.repeat(50), 'y'], 10), `["${'x'.repeat(8)}…`)
  for (let before = 0; before < 30; before++)
    assert.ok(!/lent-wor/.test(show([`${'x'.repeat(before)}lent-words`], 20)))
})

test('a message of a million members costs no more than the part that is shown', () => {
  let reads = 0
  const counted = new Proxy(
    Array.from({ length: 1_000_000 }, () => 1),
    {
      get(target, name, receiver) {
        reads += 1
        return Reflect.get(target, name, receiver) as unknown
      },
    },
  )
  assert.ok(show(counted, 100).length <= 101)
  assert.ok(reads < 1000, `${reads} reads`)
})

test('a message that is nested without end does not exhaust the stack', () => {
  const nested = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown
  assert.match(show(nested), /…/)
})
