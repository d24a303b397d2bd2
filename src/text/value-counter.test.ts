import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMoreValuesThan, ValueCounter } from './value-counter.ts'

test('hasMoreValuesThan() counts members, and nothing inside a string', () => {
  const list = `[${'{},'.repeat(99)}{}]`
  assert.equal(hasMoreValuesThan(list, 200), false)
  assert.equal(hasMoreValuesThan(list, 199), true)
  for (const inside of [',{['.repeat(1000), '"'.repeat(1000), '\\'.repeat(1001), '\\",\\"']) {
    assert.equal(hasMoreValuesThan(JSON.stringify({ inside, after: 1 }), 2), false, inside)
    assert.equal(hasMoreValuesThan(JSON.stringify({ inside, after: [1] }), 2), true, inside)
  }
})

test('hasMoreValuesThan() gives an answer for text that is no JSON', () => {
  for (const text of ['', '"', '"\\', '{"a', '\\"', ',,,']) hasMoreValuesThan(text, 1)
  assert.equal(hasMoreValuesThan(',,,', 2), true)
})

test('ValueCounter counts the same, wherever the text is cut', () => {
  const text = JSON.stringify({ a: ['x,"\\', '{[,'], b: { c: [1, 2, '\\"'] }, d: ',' })
  const whole = new ValueCounter().push(Buffer.from(text))
  assert.equal(hasMoreValuesThan(text, whole), false)
  assert.equal(hasMoreValuesThan(text, whole - 1), true)
  for (let cut = 0; cut < text.length; cut += 1) {
    const counter = new ValueCounter()
    counter.push(Buffer.from(text.slice(0, cut)))
    assert.equal(counter.push(Buffer.from(text.slice(cut))), whole)
  }
})
