/** Freezes the few files that may open labelled values, and that issue or redeem the capability to call a tool. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)

function places(words: RegExp): readonly string[] {
  return globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => words.test(readFileSync(new URL(file, root), 'utf8')))
    .sort()
}

test('POLICY-4: labelled values are opened for one server, at sinks, and to compare them', () => {
  const known = [
    'src/flows/operators/peek.ts',
    'src/labels/sink.ts',
    'src/policy/create-policy.ts',
    'src/policy/within-bounds.ts',
  ]
  assert.deepEqual(places(/\bRevealToken\.issue\(/), known)
})

test('POLICY-5: only the one door issues the right to call a tool, and only what runs tools takes it', () => {
  assert.deepEqual(places(/\bCapability\.issue\(/), ['src/kernel/call-tool.ts'])
  const takers = ['src/flows/built-in/open-built-ins.ts', 'src/servers/open-servers.ts']
  assert.deepEqual(places(/\bCapability\.redeem\(/), takers)
})
