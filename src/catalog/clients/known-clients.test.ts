import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KNOWN_CLIENTS } from './known-clients.ts'

test('every limit of a program is a positive number with its source, and no name stands for two programs', () => {
  const limits = KNOWN_CLIENTS.flatMap(({ limits: own }) => Object.values(own))
  assert.ok(limits.length >= 7)
  for (const { most, source } of limits) {
    assert.ok(Number.isInteger(most) && most > 0)
    assert.equal(new URL(source).protocol, 'https:')
  }
  const names = KNOWN_CLIENTS.flatMap((kind) => kind.names)
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.every((name) => name === name.toLowerCase()))
  const ids = KNOWN_CLIENTS.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})

test('the limits that people run into are known', () => {
  const limitsOf = (id: string) => KNOWN_CLIENTS.find((kind) => kind.id === id)?.limits
  assert.equal(limitsOf('cursor')?.tools?.most, 40)
  assert.equal(limitsOf('vscode')?.tools?.most, 128)
  assert.equal(limitsOf('copilot-cli')?.tools?.most, 30)
  assert.equal(limitsOf('claude-code')?.resultTokens?.most, 25_000)
})
