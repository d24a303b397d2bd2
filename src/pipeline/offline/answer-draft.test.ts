/** Answers to open questions: yes, no, a place, a name, a bare value; and messages that are none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { createTestPlanner, never, requestOf, showPlanned } from './test-planner.ts'

const planner = createTestPlanner()

async function draftOf(words: string): Promise<Json> {
  const asked = await planner.plan(requestOf(words), never)
  assert.ok(asked.kind === 'question', showPlanned(asked))
  // A draft is kept between two messages, so it must survive as text.
  return JSON.parse(JSON.stringify(asked.draft)) as Json
}

const answer = async (draft: Json, words: string): Promise<string> =>
  showPlanned(await planner.answer(draft, requestOf(words), never))

test('answer() takes a place, a number or a name as the choice of a tool', async () => {
  const draft = await draftOf('send the message "hi"')
  const discord = 'asks: Which channel id? It is needed for: send_message (discord).'
  const slack = 'asks: Which channel id? It is needed for: post_message (slack).'
  const answers = {
    '1': discord,
    'the second': slack,
    '2.': slack,
    'the slack one': slack,
    'Discord please': discord,
    'the last one': slack,
  }
  for (const [words, expected] of Object.entries(answers))
    assert.equal(await answer(draft, words), expected, words)
})

test('answer() takes a bare value for the argument that was asked for, one after another', async () => {
  const draft = await draftOf('send the message "hi"')
  const chosen = await planner.answer(draft, requestOf('2'), never)
  assert.ok(chosen?.kind === 'question')
  assert.equal(
    await answer(chosen.draft, 'C024BE91L'),
    'slack.post_message {"channel_id":"C024BE91L","text":"hi"}',
  )
  assert.equal(
    await answer(chosen.draft, '$result3'),
    'slack.post_message {"channel_id":"$result3","text":"hi"}',
  )
})

test('answer() takes only what the argument can be', async () => {
  const draft = await draftOf('show me the github issue of octocat/hello')
  assert.equal(await answer(draft, 'the red one'), 'no answer')
  assert.equal(
    await answer(draft, '#17'),
    'github.get_issue {"issue_number":17,"owner":"octocat","repo":"hello"}',
  )
  const mail = await draftOf('send an email with subject "Lunch" saying "Tacos?"')
  assert.equal(await answer(mail, 'Bob'), 'no answer')
  assert.equal(
    await answer(mail, 'bob@example.com'),
    'mail.send_email {"subject":"Lunch","text":"Tacos?","to":["bob@example.com"]}',
  )
})

test('answer() ends the plan with a no', async () => {
  const draft = await draftOf('post "hi" on slack')
  for (const words of ['no', 'never mind', 'Cancel.', 'forget it']) {
    assert.equal(await answer(draft, words), 'unable: All right, nothing is done.', words)
  }
})

test('answer() leaves a new request, a taught sentence and a foreign draft alone', async () => {
  const draft = await draftOf('post "hi" on slack')
  assert.equal(await answer(draft, 'read the file notes.txt'), 'no answer')
  const choice = await draftOf('search github for leaks')
  assert.equal(await answer(choice, 'read the file notes.txt'), 'no answer')
  assert.equal(await answer(choice, '7'), 'no answer')
  for (const foreign of [null, 'draft', {}, { words: 'x', open: { kind: 'run' } }]) {
    assert.equal(await answer(foreign, '1'), 'no answer')
  }
  const taught = createTestPlanner(undefined, [{ sentence: 'standup', flow: 'digest' }])
  assert.equal(await taught.answer(draft, requestOf('standup'), never), undefined)
})
