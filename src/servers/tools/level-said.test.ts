import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAbove, LEVELS } from '../../labels/label.ts'
import { labelAnswer } from './output-labels.ts'

const from = { kind: 'tool', server: 'notes', tool: 'list', callId: '1' } as const

test("the server's own word on an answer can raise its level and never lowers it", () => {
  const level = fc.constantFrom(...LEVELS)
  fc.assert(
    fc.property(level, level, (own, said) => {
      const label = { integrity: 'external', level: own, origins: new Set(['notes']) } as const
      const raw = { _meta: { level: said } }
      const now = labelAnswer({ label, raw, fields: [], from }).label.level
      assert.equal(now, isAbove(said, own) ? said : own)
    }),
  )
})
