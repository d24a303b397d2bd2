import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showUsage, sumUsage, usageOfModel } from './token-usage.ts'

const claude = usageOfModel({
  model: 'claude-x',
  inputTokens: 1000,
  outputTokens: 240,
  cost: 0.0031,
})

test('usage is one line: models, tokens and cost', () => {
  assert.equal(showUsage(claude), 'claude-x · 1,240 tokens · $0.0031')
  const twice = sumUsage([claude, claude, { ...claude, models: ['home'], cost: 0 }])
  assert.equal(twice && showUsage(twice), 'claude-x, home · 3,720 tokens · $0.0062')
  assert.equal(sumUsage([]), undefined)
})

test('a sum with an unknown price has no cost, and tiny and large costs stay readable', () => {
  const { cost: _cost, ...unknown } = claude
  assert.equal(showUsage(sumUsage([claude, unknown]) ?? claude), 'claude-x · 2,480 tokens')
  for (const [cost, shown] of [
    [0, '$0'],
    [0.00002, 'under $0.0001'],
    [1.5, '$1.50'],
  ] as const)
    assert.ok(showUsage({ ...claude, cost }).endsWith(` · ${shown}`))
})
