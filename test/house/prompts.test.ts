/**
 * The check of all prompts at the end of `npm test`, run on planted test files: each leak fails the run and is named, and so
 * does a whole run in which nothing was there to be found.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { finish, type Ran, root } from '../fixtures/cordon.ts'
import { externalMark, levelMark } from '../fixtures/prompts/content-mark.ts'
import type { PromptLine } from '../fixtures/prompts/record-prompt.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-prompts-test-'))
after(() => rmSync(folder, { recursive: true }))

const TOKEN = `ntn_${'Planted1'.repeat(6)}`
const PLANNED: PromptLine = {
  role: 'planner',
  profile: 'local',
  clearance: 'regulated',
  url: '/v1/messages',
  body: 'The owner says: search',
}
const READ: PromptLine = { ...PLANNED, role: 'synthesizer', body: externalMark('sensitive') }
const CLOUD: PromptLine = { ...PLANNED, profile: 'cloud', clearance: 'internal' }

/** Runs a planted test file, which records the prompts. */
async function run(prompts: readonly PromptLine[], ...flags: readonly string[]): Promise<Ran> {
  const recorder = path.join(root, 'test', 'fixtures', 'prompts', 'record-prompt.ts')
  const lines = [
    `import { test } from 'node:test'`,
    `import { canary, recordPrompt } from ${JSON.stringify(recorder)}`,
    `test('asks', () => {`,
    ...(prompts.length > 0 ? [`  canary(${JSON.stringify(TOKEN)})`] : []),
    ...prompts.map((prompt) => `  recordPrompt(${JSON.stringify(prompt)})`),
    `})`,
  ]
  writeFileSync(path.join(folder, 'asks.test.mjs'), lines.join('\n'))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const runner = path.join(root, 'scripts', 'run-tests.mjs')
  const args = [runner, ...flags, 'asks.test.mjs']
  return await finish(spawn(process.execPath, args, { env, cwd: folder }))
}

test('a run without a leak says how many prompts it looked at', async () => {
  const { code, stdout } = await run([PLANNED, READ, CLOUD], '--all')
  assert.equal(code, 0, stdout)
  assert.match(
    stdout,
    /^prompts: 3 recorded, 2 of a planner: no credential, no external content, nothing above clearance$/m,
  )
})

const LEAKS: readonly (readonly [what: string, leak: PromptLine, told: RegExp])[] = [
  [
    'words of others in a planner’s prompt',
    { ...PLANNED, body: `one ${externalMark('public')} two` },
    /the prompt of a planner in asks\.test\.mjs holds external content: …one EXTERNAL-public-\d+ two…/,
  ],
  [
    'words of others in a prompt that nobody listed',
    { ...READ, role: 'unknown' },
    /the prompt of an unknown role in asks\.test\.mjs holds external content/,
  ],
  [
    'a credential in a prompt',
    { ...READ, body: `as ${Buffer.from(`x:${TOKEN}`).toString('base64')}` },
    /the prompt of a synthesizer in asks\.test\.mjs holds the credential ntn_Plan…/,
  ],
  [
    'a credential in the address',
    { ...READ, url: `/v1/messages?key=${TOKEN}` },
    /holds the credential ntn_Plan…/,
  ],
  [
    'a result that a model elsewhere may not read',
    { ...CLOUD, role: 'llm', body: externalMark('sensitive') },
    /the prompt of a llm in asks\.test\.mjs is sensitive, for a cloud profile/,
  ],
  [
    'the owner’s own words above the clearance of the planner’s model',
    { ...CLOUD, clearance: 'sensitive', body: levelMark('regulated') },
    /is regulated, for a cloud profile/,
  ],
]

for (const [what, leak, told] of LEAKS) {
  // Regression 10
  test(`${what} fails the run, also one of a few files`, async () => {
    const { code, stdout } = await run([PLANNED, READ, CLOUD, leak])
    assert.equal(code, 1, stdout)
    assert.match(stdout, /^FAIL prompts: 4 recorded/m)
    assert.match(stdout, told)
    assert.ok(!stdout.includes(TOKEN), 'the credential itself is not printed')
  })
}

test('a whole run in which nothing was there to be found fails; a run of a few files does not', async () => {
  const empty = await run([], '--all')
  assert.equal(empty.code, 1)
  assert.match(empty.stdout, /no prompt was recorded\n[^]*no credential was named to look for/)
  for (const [prompts, gap] of [
    [
      [READ, CLOUD].map((one): PromptLine => ({ ...one, role: 'llm' })),
      /of a planner was recorded/,
    ],
    [[PLANNED, CLOUD], /no prompt held external content/],
    [[PLANNED, READ], /no prompt to a cloud profile/],
  ] as const) {
    const { code, stdout } = await run(prompts, '--all')
    assert.equal(code, 1)
    assert.match(stdout, gap)
  }
  const few = await run([])
  assert.deepEqual([few.code, few.stdout.includes('prompts:')], [0, false])
})
