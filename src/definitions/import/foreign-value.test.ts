import assert from 'node:assert/strict'
import test from 'node:test'
import { readForeignValue } from './foreign-value.ts'

test('readForeignValue() reads every notation that points elsewhere', () => {
  const variable = { kind: 'env', variable: 'TOKEN', hadDefault: false }
  for (const text of ['$TOKEN', '${TOKEN}', '${env:TOKEN}', '%TOKEN%']) {
    assert.deepEqual(readForeignValue(text), variable, text)
  }
  assert.deepEqual(readForeignValue('${TOKEN:-abc}'), { ...variable, hadDefault: true })
  assert.deepEqual(readForeignValue('${input:my-token}'), { kind: 'input', id: 'my-token' })
  assert.deepEqual(readForeignValue('${workspaceFolder}/x'), { kind: 'mixed' })
})

test('readForeignValue() leaves values alone that only hold a dollar or percent sign', () => {
  for (const text of ['', 'pa$word', '$ecret', 'a$HOME', '100%', '%d%s', '${', '$1']) {
    assert.deepEqual(readForeignValue(text), { kind: 'plain' }, text)
  }
})
