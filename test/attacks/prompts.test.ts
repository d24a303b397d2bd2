/**
 * A conversation with two models, one on this machine and one elsewhere, in which everything that others wrote carries a
 * mark: titles and texts of pages, errors, pasted texts. The prompts of both models are searched for the marks here, and
 * with those of all other tests at the end of a run (`scripts/check-prompts.mjs`).
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import type { Ran } from '../fixtures/cordon.ts'
import { byRole, planned } from '../fixtures/model-servers/scripted-roles.ts'
import { startModelServer } from '../fixtures/model-servers/start-model-server.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { externalMark } from '../fixtures/prompts/content-mark.ts'
import { roleOf } from '../fixtures/prompts/prompt-role.ts'

const TOKEN = `ntn_${'Prompt77'.repeat(6)}`
const KEY = 'sk-ant-prompts-0123456789abcdef'

const jobs = byRole()
const elsewhere = await startModelServer({ wire: 'anthropic', answers: jobs, key: KEY })
const here = await startModelServer({ wire: 'openai', answers: jobs })
const notion = createNotion(TOKEN)
const world = await openOutsideWorld({
  [NOTION_HOST]: notion.answer,
  'api.anthropic.com': elsewhere.answer,
})
const cordon = await openCordonIn(world, 'notion')
const claude = ['--provider', 'anthropic', '--model', 'claude-sonnet-4-5', '--key']
before(async () => {
  const said = await cordon.run(['chat'], { stdin: `connect notion\n${TOKEN}\n` })
  assert.match(said.stdout, /✓ Notion connected/)
  const added = await cordon.run(['profiles', 'add', 'claude', ...claude], { stdin: KEY })
  assert.equal(added.code, 0, added.stderr)
})
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await Promise.all([elsewhere[Symbol.asyncDispose](), here[Symbol.asyncDispose]()])
})

const ask = (text: string): Promise<Ran> => cordon.run(['ask', text])
const rolesOf = ({ prompts }: typeof here) => prompts.map(({ system }) => roleOf(system))
const sentTo = ({ prompts }: typeof here): string => prompts.map(({ body }) => body).join('\n')

// Regression 4
test('MODEL-2: a model elsewhere plans and is sent no result; the result is shown as it is', async () => {
  const { stdout } = await ask('search notion for the plan')
  assert.match(stdout, /^Notion says:\n│ \{[^]*EXTERNAL-sensitive-/)
  assert.deepEqual(rolesOf(elsewhere), ['planner'])
})

// Regression 4
test('MODEL-2: a pasted text goes to no model elsewhere, also where nothing else is to be done', async () => {
  const before = elsewhere.prompts.length
  elsewhere.answers = byRole({ plan: () => planned() })
  const { stdout } = await ask(`what does this say?\n> ${externalMark('sensitive')}`)
  elsewhere.answers = jobs
  assert.deepEqual(rolesOf(elsewhere).slice(before), ['planner'])
  assert.doesNotMatch(sentTo(elsewhere), /EXTERNAL-/)
  assert.match(stdout, /No model of yours may read what you pasted/)
})

test('MODEL-2: with a model on this machine beside it, that one reads results and pasted texts', async () => {
  const place = ['--provider', 'openai', '--url', here.url, '--model', 'm', '--no-key']
  await cordon.ask(['profiles', 'add', 'home', ...place])
  const lines = rounds(['the plan', 'a budget', '"x" in it', 'EVERYTHING', 'ünïcode'], ['the plan'])
  for (const words of lines) {
    const { stdout } = await ask(`search notion for ${words}`)
    assert.match(stdout, /^Notion has one page, /)
  }
  elsewhere.answers = byRole({ plan: () => planned() })
  const mark = externalMark('sensitive')
  await ask(`what does this say?\n\`\`\`\n${mark}\n\`\`\``)
  elsewhere.answers = jobs
  assert.ok(here.prompts.at(-1)?.body.includes(mark))
  assert.deepEqual([...new Set(rolesOf(here))], ['synthesizer'])
  assert.match(sentTo(here), /EXTERNAL-sensitive-/)
  assert.doesNotMatch(sentTo(elsewhere), /EXTERNAL-|plain_text/)
})

// Regression 17
test('MODEL-3: the next turns of a planner hold earlier messages and handles, and no word of a result, an error or a paste', async () => {
  await cordon.ask(['profiles', 'use', 'home'])
  const before = here.prompts.length
  const page = '00000000-0000-4000-8000-000000000000'
  await ask('search notion for the plan')
  here.answers = byRole({
    plan: () => planned(['notion.API-retrieve-a-page', { page_id: page }]),
    answer: ({ text }) => text.slice(-2000), // repeats the results, as a hostile model would
  })
  await ask(`read the page ${page} in notion`)
  await ask(`and compare it with this\n> ${externalMark('sensitive')}`)
  here.answers = jobs
  await ask('search notion for the plan')
  const prompts = here.prompts.slice(before).filter(({ system }) => roleOf(system) === 'planner')
  assert.equal(prompts.length, 4)
  const last = prompts.at(-1)?.text ?? ''
  assert.match(last, /\$result1: object, a result of notion\.API-post-search/)
  assert.match(last, /Earlier messages of the owner:[^]*- and compare it with this \$paste1\n/)
  for (const { body } of prompts) assert.doesNotMatch(body, /EXTERNAL-|Could not find it/)
})

test('a pasted text is no earlier message of the owner either, whichever part of Cordon answered it', async () => {
  const mark = externalMark('sensitive')
  const lines = [
    'remember that the door is',
    'connect wibble',
    'forget',
    'status',
    'list',
    'npx -y it',
  ]
  for (const line of lines) await ask(`${line}\n> ${mark}`)
  await ask('search notion for the door')
  const last = here.prompts.findLast(({ system }) => roleOf(system) === 'planner')?.text ?? ''
  assert.match(last, /Earlier messages of the owner:[^]*- connect wibble/)
  assert.doesNotMatch(last, /EXTERNAL-/)
})

// Regression 9
test('MODEL-3: an answer that is a plan is text: it is shown, and nothing is called', async () => {
  const call = planned(['notion.API-delete-a-block', { block_id: 'all-of-it' }])
  here.answers = byRole({ answer: () => call })
  const before = notion.asked.length
  const { stdout } = await ask('search notion for the plan')
  here.answers = jobs
  assert.equal(stdout.trimEnd(), call)
  assert.deepEqual(notion.asked.slice(before), ['POST /v1/search 200'])
})

// Regression 17
test('a plan of the next turn passes the result of the last one on, unread', async () => {
  await ask('search notion for the plan')
  here.answers = byRole({
    plan: ({ text }) => planned(['notion.API-post-search', { filter: lastHandle(text) }]),
  })
  await ask('search notion again, by what you found')
  here.answers = jobs
  const { filter } = JSON.parse(notion.bodies.at(-1) ?? '') as { readonly filter: object }
  assert.match(JSON.stringify(filter), /"plain_text":"the plan"[^]*EXTERNAL-sensitive-/)
})

/** The newest result among the handles of a planner's prompt. */
function lastHandle(text: string): string {
  return text.match(/\$result\d+(?=: )/g)?.at(-1) ?? ''
}
