import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinLabels, type Label } from './label.ts'

const mine: Label = { integrity: 'user', level: 'sensitive', origins: new Set(['owner']) }
const theirs: Label = { integrity: 'external', level: 'public', origins: new Set(['web']) }

test('joinLabels() keeps the stricter half of each label, in either order', () => {
  const joined: Label = {
    integrity: 'external',
    level: 'sensitive',
    origins: new Set(['owner', 'web']),
  }
  assert.deepEqual(joinLabels(mine, theirs), joined)
  assert.deepEqual(joinLabels(theirs, mine), joined)
})
