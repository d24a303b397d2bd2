import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overrideOf } from './override-of.ts'

test('R185: with `*` switched off, a tool is on only where its own entry says so', () => {
  const tools = {
    '*': { enabled: false, semantics: 'read' },
    find: { enabled: true },
    save: { semantics: 'write' },
  } as const
  assert.deepEqual(overrideOf({ tools }, 'find'), { enabled: true })
  assert.deepEqual(overrideOf({ tools }, 'save'), { semantics: 'write', enabled: false })
  // Only the switch counts for all tools: nobody says in one word that all of them read.
  assert.deepEqual(overrideOf({ tools }, 'toString'), { enabled: false })
  assert.equal(overrideOf({ tools: { '*': { enabled: true } } }, 'find'), undefined)
  assert.equal(overrideOf({ tools: {} }, 'toString'), undefined)
})
