/** Adding a model in a terminal: its name is asked for, its key is typed hidden and shown nowhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import { startModelServer } from '../fixtures/model-servers/start-model-server.ts'
import { openCommand } from './open-command.ts'

const KEY = 'sk-typed-0123456789'

test('SETUP-1: the key of a model is typed hidden, and the model answers with it', async () => {
  await using cordon = openCordon()
  await using server = await startModelServer({ wire: 'openai', answers: ['OK'], key: KEY })
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  const words = ['profiles', 'add', 'work', '--url', server.url, '--key']
  await using terminal = await openCommand(cordon, words)
  await terminal.until(/Which model of openai\?/)
  await terminal.type('gpt-tiny')
  await terminal.press('Enter')
  await terminal.until(/Key of work \(hidden\):$/)
  await terminal.type(KEY)
  await terminal.press('Enter')
  assert.equal(await terminal.ended(), 0)
  assert.match(await terminal.screen(), /work is added and is the one that is asked/)
  assert.doesNotMatch((await terminal.scrollback()) + terminal.written(), /sk-typed/)
  await using trial = await openCommand(cordon, ['profiles', 'test', 'work'])
  assert.equal(await trial.ended(), 0)
  assert.match(await trial.screen(), /work \(gpt-tiny\) answered "OK"/)
  await using removal = await openCommand(cordon, ['profiles', 'remove', 'work'])
  await removal.until(/Remove the model profile work\? Its key is forgotten too\./)
  await removal.press('y')
  assert.equal(await removal.ended(), 0)
})
