import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remembered } from './remembered.ts'

function counted(): { readonly answer: (text: string) => string; readonly asked: string[] } {
  const asked: string[] = []
  const answer = remembered((text) => {
    asked.push(text)
    return text.toUpperCase()
  })
  return { answer, asked }
}

test('the same text is worked out once', () => {
  const { answer, asked } = counted()
  assert.deepEqual([answer('a'), answer('b'), answer('a')], ['A', 'B', 'A'])
  assert.deepEqual(asked, ['a', 'b'])
})

test('an empty or false answer is kept as well', () => {
  let times = 0
  const answer = remembered(() => {
    times += 1
    return false
  })
  assert.deepEqual([answer('a'), answer('a'), times], [false, false, 1])
})

test('a long text is never kept', () => {
  const { answer, asked } = counted()
  const long = 'a'.repeat(513)
  assert.equal(answer(long), answer(long))
  assert.equal(asked.length, 2)
})

test('many texts are not kept for ever', () => {
  const { answer, asked } = counted()
  for (let at = 0; at <= 1024; at += 1) answer(`text ${at}`)
  answer('text 0')
  assert.equal(asked.length, 1026)
})
