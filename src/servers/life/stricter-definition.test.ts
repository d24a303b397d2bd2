import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Effect } from '../../kernel/effect.ts'
import {
  SEMANTICS,
  type ServerDefinition,
  type ToolOverride,
} from '../../kernel/server-definition.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { ROLES } from '../../kernel/tool-facts.ts'
import { LEVELS } from '../../labels/label.ts'
import { judgeEffect } from './judge-effect.ts'
import { stricterDefinition } from './stricter-definition.ts'
import { rolesOf } from '../tools/argument-roles.ts'
import { overrideOf } from '../tools/override-of.ts'

const optional = <T>(of: fc.Arbitrary<T>, name: string) =>
  fc.option(of, { nil: undefined }).map((one) => (one === undefined ? {} : { [name]: one }))

const tool: fc.Arbitrary<ToolOverride> = fc
  .tuple(
    optional(fc.constantFrom(...SEMANTICS), 'semantics'),
    optional(fc.constant('ignored'), 'hints'),
    optional(fc.boolean(), 'enabled'),
    optional(
      fc.dictionary(fc.constantFrom('a', 'url', 'body'), fc.constantFrom(...ROLES)),
      'roles',
    ),
    optional(fc.subarray(['id', 'items[*].id']), 'fields'),
  )
  .map((parts) => Object.assign({}, ...parts) as ToolOverride)

const definition: fc.Arbitrary<ServerDefinition> = fc.record({
  id: fc.constant(parseServerId('box')),
  name: fc.constant('Box'),
  description: fc.constant(''),
  label: fc.constantFrom(...LEVELS),
  transport: fc.constant('stdio' as const),
  args: fc.constant([]),
  allowedDomains: fc.subarray(['a.example', 'b.example']),
  enabled: fc.boolean(),
  isKnown: fc.boolean(),
  scopes: fc.constant([]),
  env: fc.constant({}),
  auth: fc.constant({}),
  sandbox: fc.record({
    mode: fc.constantFrom('bwrap', 'none'),
    memoryLimitBytes: fc.nat(),
    readOnlyFs: fc.boolean(),
    allowTmp: fc.boolean(),
    watchesOpening: fc.boolean(),
    ownPorts: fc.boolean(),
    readPaths: fc.subarray(['/r', '/s']),
    writePaths: fc.subarray(['/w']),
  }),
  tools: fc.dictionary(fc.constantFrom('get', 'toString', '*'), tool),
  config: fc.constant({}),
})

const EFFECTS: readonly Effect[] = ['local-read', 'remote-read', 'write', 'destructive', 'exec']
const SCHEMA = { properties: { a: {}, url: { format: 'uri' }, body: { type: 'string' } } }
const NAMED = { name: 'get', annotations: { destructiveHint: true } }

/** One line per part in which `merged` allows more than `one` does. */
function weaker(merged: ServerDefinition, one: ServerDefinition): readonly string[] {
  const isPart = (a: readonly string[], b: readonly string[]) => a.every((x) => b.includes(x))
  const [box, own] = [merged.sandbox, one.sandbox]
  const parts: Readonly<Record<string, boolean>> = {
    label: LEVELS.indexOf(merged.label) >= LEVELS.indexOf(one.label),
    enabled: one.enabled || !merged.enabled,
    known: one.isKnown === true || !merged.isKnown,
    domains: isPart(merged.allowedDomains, one.allowedDomains),
    readPaths: isPart(box.readPaths, own.readPaths),
    writePaths: isPart(box.writePaths, own.writePaths),
    mode: own.mode === 'none' || box.mode === 'bwrap',
    memory: box.memoryLimitBytes <= own.memoryLimitBytes,
    readOnly: box.readOnlyFs || !own.readOnlyFs,
    tmp: own.allowTmp || !box.allowTmp,
    watching: own.watchesOpening === true || box.watchesOpening !== true,
    ports: own.ownPorts === true || box.ownPorts !== true,
  }
  return Object.keys(parts).filter((name) => !parts[name])
}

function weakerTool(merged: ServerDefinition, one: ServerDefinition): readonly string[] {
  const [both, own] = [overrideOf(merged, 'get'), overrideOf(one, 'get')]
  // In the sandbox that the server then has: one that is shut in is proof of a read.
  const within = { ...merged, tools: one.tools }
  const rank = (of: ServerDefinition) => EFFECTS.indexOf(judgeEffect(of, NAMED).effect)
  const [roles, before] = [rolesOf(SCHEMA, both), rolesOf(SCHEMA, own)]
  const strictness = (name: string) => ROLES.indexOf(roles.get(name)?.role ?? 'target')
  const parts: Readonly<Record<string, boolean>> = {
    enabled: own?.enabled !== false || both?.enabled === false,
    fields: (both?.fields ?? []).every((field) => own?.fields?.includes(field)),
    effect: rank(merged) >= rank(within),
    roles: [...before].every(([name, { role }]) => strictness(name) >= ROLES.indexOf(role)),
  }
  return Object.keys(parts).filter((name) => !parts[name])
}

test('nothing that either definition forbids is allowed by both together', () => {
  const property = fc.property(definition, definition, (now, edited) => {
    const merged = stricterDefinition(now, edited)
    for (const one of [now, edited]) {
      assert.deepEqual([...weaker(merged, one), ...weakerTool(merged, one)], [])
    }
  })
  fc.assert(property, { numRuns: 500 })
})

test('an edit that says the same changes nothing', () => {
  fc.assert(
    fc.property(definition, (now) => {
      const { tools: _tools, ...merged } = stricterDefinition(now, now)
      const { tools: _own, ...rest } = now
      assert.equal(JSON.stringify(merged), JSON.stringify(rest))
    }),
  )
})
