/** A plan seen from a terminal: its bounds, one question, a file that is somebody else's until it is saved. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openFlowCordon } from '../fixtures/flow-cordon.ts'
import { approveDuring } from '../fixtures/owner-elsewhere.ts'

const TWO = [
  'mcp-github-get-repo as found --repo cordon',
  'mcp-slack-send-message --channel dev --message "about ${found.result}"',
  'mcp-slack-send-message as again --channel ops --message "also ${found.result}"',
].join(' >> ')

const cordon = await openFlowCordon()
after(() => cordon[Symbol.asyncDispose]())

test('PLAN-1: bounds are shown without a run, and a run asks about all of it once', async () => {
  const shown = await cordon.says(['flow', 'bounds', TWO])
  assert.match(shown, /1\. Change or delete something with slack, tool "send_message": once/)
  assert.match(shown, /fixed +channel: dev/)
  assert.match(shown, /text +"message": what came from github/)
  assert.match(shown, /A run asks you about all of this at once, before its first step\.$/)
  const json = await cordon.says(['flow', 'bounds', TWO, '--json'])
  const { bounds, isAskedAtOnce } = JSON.parse(json) as Output<'flows.bounds'>
  assert.deepEqual([isAskedAtOnce, bounds.steps.length], [true, 2])
  assert.match(await cordon.says(['approvals', 'list', '--all']), /^Nothing waits/)
  const run = cordon.run(['run', TWO, '--wait'])
  const questions = await approveDuring(cordon, run)
  const { code, stderr } = await run
  assert.equal(code, 0, stderr)
  assert.equal(questions.length, 1)
  assert.match(questions[0] ?? '', /Run this plan once, and ask no more inside its bounds/)
  assert.match(await cordon.says(['approvals', 'list', '--all']), /the plan of ".*" \(2 steps\)/)
})

test('a limit for amounts is a number, and not any number', async () => {
  for (const limit of ['1e9', '-1', 'Infinity', '1000001', 'much']) {
    const { code, stderr } = await cordon.run(['run', TWO, '--up-to', limit])
    assert.equal(code, 2)
    assert.match(stderr, /^cordon: error: Cannot take .* as a limit for amounts$/m)
  }
})

test('FLOW-5: a file asks about its writes until it is saved, and again when it is another', async () => {
  const file = path.join(cordon.folder, 'tell.flow')
  const text = 'mcp-slack-send-message --channel dev --message hello'
  writeFileSync(file, text)
  const run = () => cordon.run(['run', 'tell.flow', '--yes'])
  const foreign = await run()
  assert.equal(foreign.code, 3)
  assert.match(foreign.stderr, /hint: .*`cordon flow save FILE`/)
  assert.match(await cordon.says(['flow', 'check', 'tell.flow']), /^note: The flow is in a file/m)
  const unasked = await cordon.run(['flow', 'save', 'tell.flow'])
  assert.equal(unasked.code, 2)
  assert.match(unasked.stderr, /--as-mine/)
  await cordon.says(['flow', 'save', 'tell.flow', '--as-mine'])
  assert.equal((await run()).code, 0)
  writeFileSync(file, `${text} --unfurl true`)
  assert.notEqual((await run()).code, 0)
  writeFileSync(file, text.replace('hello', 'other'))
  assert.equal((await run()).code, 3)
  const nameless = await cordon.run(['flow', 'save', text])
  assert.match(nameless.stderr, /Cannot save a flow without a name/)
})
