import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressNumbers, progressText } from './progress-text.ts'

const hide = (text: string): string => text.replaceAll('secret', '*')
const show = (params: unknown): string | undefined => progressText(params, hide)

test('progress is a share and the words of the server, cleaned and cut', () => {
  assert.equal(show({ progress: 3, total: 12, message: 'Copying a secret' }), '25 %: Copying a *')
  assert.equal(show({ progress: 9, message: 'sec\u200bret\u001b[2J\nnext' }), '*[2J next')
  assert.equal(show({ progress: 30, total: 10 }), '100 %')
  assert.ok((show({ progress: 1, message: 'x'.repeat(1_000_000) }) ?? '').length <= 101)
})

test('progress that says nothing is nothing', () => {
  for (const params of [
    { progress: 1 },
    { progress: 'x', total: {} },
    undefined,
    [],
    { total: 0 },
  ]) {
    assert.equal(show(params), undefined, JSON.stringify(params))
  }
  assert.equal(show({ progress: -1, total: 5 }), undefined)
  assert.equal(show({ progress: Number.NaN, total: 5 }), undefined)
})

test('the numbers of a server are those that a program can draw', () => {
  assert.deepEqual(progressNumbers({ progress: 3, total: 12 }), { progress: 3, total: 12 })
  for (const total of [0, -1, 'x', Infinity, null]) {
    assert.deepEqual(progressNumbers({ progress: 0.5, total }), { progress: 0.5 })
  }
  for (const progress of [-1, Number.NaN, Infinity, 2 ** 60, '3', undefined]) {
    assert.equal(progressNumbers({ progress, total: 5 }), undefined)
  }
})
