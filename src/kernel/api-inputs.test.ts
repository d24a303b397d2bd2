import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRoute, parseInput } from './api-inputs.ts'

test('isRoute() knows no name that an object has by birth', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'vault.get', '']) {
    assert.equal(isRoute(name), false)
  }
  assert.equal(isRoute('vault.set'), true)
})

test('parseInput() refuses unknown fields and wrong types', () => {
  const attempts = [
    ['status', { extra: 1 }],
    ['vault.set', { name: 'a b', value: 'x' }],
    ['vault.set', { name: 'ok', value: '' }],
    ['audit.read', { limit: 0 }],
    ['audit.read', { limit: 1e9 }],
    ['audit.search', { limit: 1, since: 'yesterday' }],
    ['mcp.show', null],
    ['mcp.show', []],
  ] as const
  for (const [route, input] of attempts) {
    assert.throws(() => parseInput(route, input), { code: 'kernel.input' })
  }
})

test('parseInput() never repeats a value, which may be a secret', () => {
  const value = `ghp_${'x'.repeat(70_000)}`
  assert.throws(
    () => parseInput('vault.set', { name: 'x', value }),
    (error: Error) => !error.message.includes('ghp_'),
  )
})
