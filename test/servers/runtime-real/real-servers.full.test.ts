/**
 * Servers as people have them, from npm at pinned versions, behind the real sandbox: they start, list and answer.
 * They are installed once, beside the checkout; none of them gets a network.
 */
import assert from 'node:assert/strict'
import { homedir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { packageOf, packagesFolder, scriptOf, type TestedService } from '../../fixtures/packages.ts'
import { define as plainly, never, openHouse } from '../runtime/direct-sandbox.ts'

const sandbox = await openSandbox({
  pinPath,
  nodePath: process.execPath,
  cordonHome: `${packagesFolder}-home`,
  userHome: homedir(),
})
after(() => sandbox[Symbol.asyncDispose]())

async function real(
  service: TestedService,
  args: readonly string[],
  more: Partial<ServerDefinition> = {},
): Promise<ServerDefinition> {
  const plain = plainly('it', 'none', more)
  return {
    ...plain,
    command: 'node',
    args: [await scriptOf(service), ...args],
    sandbox: { ...plain.sandbox, memoryLimitBytes: 512 * 2 ** 20, readPaths: [packagesFolder] },
  }
}

const visible = path.join((await packageOf('memory')).folder, 'node_modules/zod')
const thought = { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }
const dummies = {
  NOTION_TOKEN: 'ntn_dummy',
  AIRTABLE_API_KEY: 'pat_dummy',
  PRIVATE_APP_ACCESS_TOKEN: 'pat-na1-dummy',
}
const dsn = ['--transport', 'stdio', '--dsn', 'sqlite:///:memory:']
const cases = [
  ['everything', () => real('everything', []), 'legacy', 13],
  ['filesystem', () => real('filesystem', [visible]), 'legacy', 14],
  ['memory', () => real('memory', []), 'legacy', 9],
  ['dbhub', () => real('postgres', dsn), 'modern', 2],
  ['notion', () => real('notion', [], { env: dummies }), 'legacy', 24],
  ['thinking', () => real('sequential-thinking', []), 'legacy', 1],
  ['airtable', () => real('airtable', [], { env: dummies }), 'legacy', 16],
  ['hubspot', () => real('hubspot', [], { env: dummies }), 'legacy', 21],
] as const
const calls = {
  everything: ['echo', { message: 'hi' }, /Echo: hi/],
  filesystem: ['list_directory', { path: visible }, /package\.json/],
  memory: ['read_graph', {}, /"entities":\[\]/],
  thinking: ['sequentialthinking', thought, /"thoughtNumber":1/],
  dbhub: ['execute_sql', { sql: 'select 40 + 2 as answer' }, /42/],
} as const

// On a busy machine a server may answer the probe of its era late.
const LONG = { startMs: 300_000, probeMs: 60_000 }

for (const [name, define, era, tools] of cases) {
  test(`${name} works behind the sandbox`, async () => {
    const definition = await define()
    await using house = await openHouse([definition], { sandbox, timings: LONG })
    const state = await house.servers.start(definition.id, never)
    assert.equal(state.badge, 'connected')
    assert.equal(state.era, era)
    assert.equal(state.tools, tools)
    if (!(name in calls)) return
    const [tool, args, answer] = calls[name as keyof typeof calls]
    const result = await house.call('it', tool, args)
    assert.match(JSON.stringify(result.kind === 'ok' ? result.value : result), answer)
  })
}
