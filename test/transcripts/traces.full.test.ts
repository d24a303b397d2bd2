/**
 * The conversations of the first specifications, from "connect notion" to the answer: the real command line and kernel,
 * the real Notion server in its sandbox, a stand-in for its API, and models that follow a script over the real wire.
 */
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { byRole } from '../fixtures/model-servers/scripted-roles.ts'
import { startModelServer } from '../fixtures/model-servers/start-model-server.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { externalMark } from '../fixtures/prompts/content-mark.ts'
import { roleOf } from '../fixtures/prompts/prompt-role.ts'
import { canary } from '../fixtures/prompts/record-prompt.ts'

const TOKEN = `ntn_${'Trace265'.repeat(6)}`
const SITE_TOKEN = canary('trk-Trace9f8e7d6c5b4a')
const SITE = 'billing.example.com'
const SENTENCE = 'search notion for PFAR design doc'

const notion = createNotion(TOKEN)
const siteAsked: string[] = []
const world = await openOutsideWorld({
  [NOTION_HOST]: notion.answer,
  [SITE]({ method, url, headers }, response) {
    siteAsked.push(`${method} ${url} ${headers.authorization}`)
    const issues = [{ id: 1, title: `The lift is stuck ${externalMark('sensitive')}` }]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ issues }))
  },
})
const cordon = await openCordonIn(world, 'notion')
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
afterEach(async () => {
  await cordon.run(['disconnect', 'notion', '--yes'])
  for (const name of ['anthropic', 'openai'])
    await cordon.run(['profiles', 'remove', name, '--yes'])
  notion.asked.length = 0
})

async function chat(...lines: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cordon.run(['chat'], { stdin: `${lines.join('\n')}\n` })
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

const ASKED =
  /^I need your Notion token\. notion\.so\/profile\/integrations → Create → Copy secret\./m
const CONNECTED = '✓ Notion connected. 24 tools available.\n'
const OFFER =
  'I can search pages, read databases, create pages and manage blocks. Want me to test with a search?\n'
const CALLED = [
  'Using notion.API-post-search...',
  '  query: "PFAR design doc"',
  '✓ notion.API-post-search completed',
].join('\n')

/** The call went to the server in its sandbox, with the words as its query, and is in the record from begin to end. */
async function assertSearched(query: string): Promise<void> {
  assert.deepEqual(notion.asked, ['GET /v1/users/me 200', 'POST /v1/search 200'])
  assert.deepEqual(JSON.parse(notion.bodies.at(-1) || '{}'), query === '' ? {} : { query })
  const { cordon: behind } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'notion'])
  assert.equal(behind, 'bwrap')
  const { records } = await cordon.ask<Output<'audit.read'>>(['audit', 'tail', '-n', '20'])
  const calls = records.filter(({ subject }) => subject === 'notion.API-post-search')
  assert.deepEqual(
    calls.map(({ kind }) => kind),
    ['call.begin', 'call.end'],
  )
}

test('seeds 000 §12 without a model: connect, paste, a search in plain words', async () => {
  const said = await chat('connect notion', TOKEN, SENTENCE)
  assert.match(said, ASKED)
  const answer = said.split(CONNECTED + OFFER)[1] ?? said
  assert.ok(answer.startsWith(`${CALLED}\nNotion says:\n│ {`), answer)
  assert.match(answer, /│ +"plain_text": "PFAR design doc"/)
  assert.ok(!said.includes(TOKEN))
  await assertSearched('PFAR design doc')
})

for (const wire of ['anthropic', 'openai'] as const) {
  // Regression 18
  test(`seeds 000 §12 with a model that speaks as ${wire}: it plans and answers, and sees neither token nor result as a planner`, async () => {
    await using model = await startModelServer({
      wire,
      answers: byRole(),
      key: 'sk-trace-0123456789',
    })
    const add = ['profiles', 'add', wire, '--provider', wire, '--url', model.url, '--key']
    const added = await cordon.run([...add, '--model', 'm'], { stdin: 'sk-trace-0123456789\n' })
    assert.equal(added.code, 0, added.stderr)
    const said = await chat('connect notion', TOKEN, SENTENCE)
    assert.match(said, ASKED)
    const answer = (said.split(CONNECTED + OFFER)[1] ?? '').replace(/\d+ tokens/, 'N tokens')
    assert.equal(answer, `${CALLED}\nNotion has one page, "PFAR design doc".\nm · N tokens · $0\n`)
    await assertSearched('PFAR design doc')
    // Connecting asked no model, and the search asked it twice.
    assert.deepEqual(
      model.prompts.map(({ system }) => roleOf(system)),
      ['planner', 'synthesizer'],
    )
    const [planner, synthesizer] = model.prompts.map(({ body }) => body)
    assert.match(planner ?? '', /notion\.API-post-search: [^]*search notion for PFAR design doc/)
    assert.doesNotMatch(planner ?? '', /EXTERNAL-|plain_text|Trace265|sk-trace/)
    assert.match(synthesizer ?? '', /EXTERNAL-sensitive-/)
    assert.doesNotMatch(synthesizer ?? '', /Trace265|sk-trace|API-post-search/)
  })
}

test('seeds 001 §6.2: after connecting a search is offered, and yes makes it', async () => {
  const said = await chat('Connect Notion', TOKEN, 'Yes, please', 'yes')
  const [, answer = ''] = said.split(CONNECTED + OFFER)
  const search =
    'Using notion.API-post-search...\n✓ notion.API-post-search completed\nNotion says:\n'
  assert.ok(answer.startsWith(search), answer)
  assert.equal(answer.split('Using ').length, 2, 'a second yes answers nothing')
  await assertSearched('')
})

test('seeds 001 §6.2: no ends the offer, and so does any other message', async () => {
  const said = await chat('Connect Notion', TOKEN, 'no', 'yes')
  const [, refused = ''] = said.split(CONNECTED + OFFER)
  assert.match(refused, /^All right\.\nI can’t /)
  assert.deepEqual(notion.asked, ['GET /v1/users/me 200'])
})

test('seeds 001 §6.3: an unknown service by the generic server, with a token that goes to its site only', async () => {
  const said = await chat(
    `Connect to our internal tracker at ${SITE}`,
    'No, just use generic',
    SITE_TOKEN,
  )
  assert.match(
    said,
    /Is there an MCP server package for it on npm\? If not, I can use a generic HTTP server\./,
  )
  assert.match(said, /I need your billing\.example\.com token\./)
  assert.match(
    said,
    /✓ billing\.example\.com connected\. 2 tools available\.\nConnected as `billing`\./,
  )
  assert.ok(!said.includes(SITE_TOKEN))
  const { allowedDomains, cordon: behind } = await cordon.ask<Output<'mcp.show'>>([
    'mcp',
    'show',
    'billing',
  ])
  assert.deepEqual([allowedDomains, behind], [[SITE], 'bwrap'])
  const [take = ''] = /yes, take billing \w+/.exec(said) ?? []
  const read = await chat(take, 'get /issues from billing')
  assert.match(read, /✓ billing\.http_get completed\n[^]*The lift is stuck/)
  assert.deepEqual(siteAsked, [`GET /issues Bearer ${SITE_TOKEN}`])
  await cordon.run(['disconnect', 'billing', '--yes'])
})
