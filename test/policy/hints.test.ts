/** A server's own hints and descriptions can make the effect of its tools stricter, and never milder. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../src/text/json.ts'
import { EFFECTS } from '../../src/kernel/effect.ts'
import type { Suite, SuiteTool } from '../../bench/agentdojo/suite.ts'
import { knowTools } from '../../bench/agentdojo/suite-facts.ts'

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

const hints: fc.Arbitrary<JsonObject> = fc
  .record(
    Object.fromEntries(HINTS.map((hint) => [hint, fc.option(fc.boolean(), { nil: undefined })])),
  )
  .map((all) => JSON.parse(JSON.stringify(all)) as JsonObject)

const servers = fc.record({
  egress: fc.constantFrom('none' as const, 'vendor' as const, 'open' as const),
  isUnknown: fc.boolean(),
})

test('POLICY-8: no hint and no word of a server makes a tool milder than it is without', () => {
  fc.assert(
    fc.property(
      servers,
      fc.constantFrom('read', 'write', 'destructive', 'exec'),
      hints,
      fc.string(),
      (server, effect, annotations, description) => {
        const plain = { name: 'do_it', inputSchema: { type: 'object' }, effect, server: 'mail' }
        const before = effectOf(server, plain)
        const after = effectOf(server, { ...plain, annotations, description })
        assert.ok(EFFECTS.indexOf(after) >= EFFECTS.indexOf(before))
      },
    ),
    { numRuns: 500 },
  )
})

function effectOf(
  server: NonNullable<Suite['servers']>[string],
  tool: SuiteTool,
): (typeof EFFECTS)[number] {
  const suite: Suite = {
    suite: 'mail',
    tools: [tool],
    vectors: [],
    userTasks: [],
    injectionTasks: [],
    servers: { mail: server },
    annotations: {},
  }
  const known = knowTools(suite, { fields: new Map(), known: [], refused: [] }).get(tool.name)
  assert.ok(known)
  return known.facts.effect
}
