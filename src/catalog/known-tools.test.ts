import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import { knownTools } from './known-tools.ts'

const PACKAGE = '@notionhq/notion-mcp-server'
const notion = {
  source: { kind: 'catalog', name: 'notion' },
  command: 'node',
  args: [`/home/packages/notion@2.5.2/node_modules/${PACKAGE}/bin/cli.mjs`],
  package: { kind: 'npm', identifier: PACKAGE },
} as unknown as ServerDefinition

const isKnown = (change: object): boolean =>
  knownTools({ ...notion, ...change }, '/home/packages') !== undefined

test('the catalog vouches for the package it had installed', () => {
  assert.ok(isKnown({}))
  assert.equal(knownTools(notion, '/home/packages')?.['API-get-self']?.semantics, 'read')
})

test('knownTools() does not trust a definition that only claims to be from the catalog', () => {
  assert.ok(!isKnown({ source: { kind: 'manual' } }))
  assert.ok(!isKnown({ source: { kind: 'catalog', name: 'nobody' } }))
  assert.ok(!isKnown({ command: 'sh' }))
  assert.ok(!isKnown({ args: ['/home/me/evil.mjs'] }))
  assert.ok(!isKnown({ args: [`/home/packages/../x/node_modules/${PACKAGE}/a.mjs`] }))
  assert.ok(!isKnown({ args: ['/home/packages/evil@1.0.0/node_modules/evil/cli.mjs'] }))
  assert.ok(!isKnown({ package: { kind: 'npm', identifier: 'evil' } }))
  assert.ok(!isKnown({ command: undefined, url: 'https://evil.example/mcp' }))
})
