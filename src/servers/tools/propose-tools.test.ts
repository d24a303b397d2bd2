import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { readManifest } from '../life/manifest.ts'
import { marksFor, proposeTools } from './propose-tools.ts'

const DEFINITION = {
  id: parseServerId('notes'),
  transport: 'stdio',
  command: 'node',
  args: [],
  allowedDomains: ['api.example'],
  sandbox: { mode: 'bwrap', writePaths: [] },
  tools: { save: { semantics: 'write' } },
} as unknown as ServerDefinition

function propose(names: readonly string[], definition = DEFINITION) {
  const manifest = readManifest(
    names.map((name) => ({ name, inputSchema: {} })),
    undefined,
  )
  return proposeTools(definition, [...manifest.tools.values()], manifest.hash)
}

const NAMES = ['list', 'get_page', 'create', 'delete', 'frobnicate', 'get_or_create', 'save']

test('a proposal counts the tools that nobody has spoken for, by what they claim', () => {
  const { summary, tools } = propose(NAMES)
  assert.equal(
    summary,
    'Nobody vouches for 6 tools: 2 say they only read, 1 changes things, 1 cannot be undone, 2 are doubtful',
  )
  assert.deepEqual(
    tools.map(({ by }) => by),
    [...Array.from({ length: 6 }, () => 'unsaid'), 'definition'],
  )
  assert.equal(propose(['save']).summary, undefined)
})

test('as they say takes what is undoubted and unspoken for; a doubtful one only by its name', () => {
  const proposal = propose(NAMES)
  assert.deepEqual(
    [...marksFor(proposal, { kind: 'as-said' })],
    [
      ['list', 'read'],
      ['get_page', 'read'],
      ['create', 'write'],
      ['delete', 'destructive'],
    ],
  )
  const named = marksFor(proposal, { kind: 'as-said', tools: ['get_or_create'] })
  assert.deepEqual([...named], [['get_or_create', 'read']])
})

test('what a sandbox proves needs no word', () => {
  const shut = { ...DEFINITION, allowedDomains: [] }
  assert.equal(propose(['list', 'frobnicate'], shut).summary, undefined)
})

test('ten thousand tools are proposed within seconds', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `get_thing_${at}`)
  const started = process.cpuUsage() // not the clock: a busy machine says nothing about it
  const proposal = propose(names)
  assert.equal(marksFor(proposal, { kind: 'as-said' }).size, 10_000)
  assert.ok(process.cpuUsage(started).user < 10_000_000)
})
