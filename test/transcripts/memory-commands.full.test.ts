/** Every command about memory, in the chat and on the command line. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'

const cordon = openCordon()
before(() => cordon.ask(['up', '--detach']))
after(() => cordon[Symbol.asyncDispose]())

async function chat(...lines: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cordon.run(['chat'], { stdin: `${lines.join('\n')}\n` })
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

test('a fact is replaced, changed and forgotten by its number, here and on the command line', async () => {
  await chat('remember that my dentist is Dr. Adeyemi')
  assert.match(
    await chat('remember that my dentist is Dr. Osei'),
    /^I keep that as fact 1: my dentist is Dr\. Osei\. It replaces: my dentist is Dr\. Adeyemi\.\n$/,
  )
  await chat('note: I am vegetarian', '/memory edit 2 I am vegan')
  const { stdout } = await cordon.run(['memory', 'list'])
  assert.match(stdout, /^1\. my dentist is Dr\. Osei\n {3}You wrote .*\n2\. I am vegan\n/)
  const unsure = await cordon.run(['memory', 'forget', '2'])
  assert.deepEqual([unsure.code, /--yes/.test(unsure.stderr)], [2, true])
  const sure = await cordon.run(['memory', 'forget', '2', '--yes'])
  assert.equal(sure.stdout, 'Forgotten: 1 fact, 0 results and 0 turns.\n')
  assert.equal(await chat('/memory forget 7'), 'There is no fact 7. `/memory` lists them.\n')
})

test('everything of a day is forgotten after a yes, and the audit log says how much, not what', async () => {
  const asked = await chat('forget everything that came from today')
  assert.match(
    asked,
    /^This forgets 1 fact, 0 results and \d+ turns that came from today, for good\. Type: yes, forget everything from today\n$/,
  )
  assert.match(await chat('yes, forget everything from today'), /^Forgotten: 1 fact, 0 results/)
  assert.match(await chat('/memory'), /^I keep no facts yet/)
  assert.equal(
    await chat('forget everything that came from notion'),
    'I keep nothing from notion.\n',
  )
  const records = await cordon.run(['--json', 'audit', 'search', 'memory'])
  assert.match(records.stdout, /memory\.forgotten/)
  assert.doesNotMatch(records.stdout, /dentist|Osei/)
})

test('the state names what is there, and bad input says what to type', async () => {
  const { stdout } = await cordon.run(['memory', 'state'])
  assert.match(stdout, /^Connected services: none\./)
  const nothing = await cordon.run(['memory', 'forget'])
  assert.deepEqual([nothing.code, /Cannot forget/.test(nothing.stderr)], [2, true])
  const none = await cordon.run(['memory', 'edit', '9', 'x is y'])
  assert.match(none.stderr, /Cannot find fact 9\n.*`cordon memory list`/)
})

test('a flow keeps what it reads, as the words of others, and it is forgotten by its source', async () => {
  const folder = path.dirname(cordon.home)
  writeFileSync(path.join(folder, 'notes.txt'), 'the car is due in May\n')
  const run = ['run', 'read-file --path notes.txt >> remember']
  const { stdout } = await cordon.run(run, { cwd: folder })
  assert.deepEqual(JSON.parse(stdout), { kept: 1, left_out: 0 })
  const listed = await cordon.run(['memory', 'list'])
  assert.match(
    listed.stdout,
    /the car is due in May \(others' words, from ~files\)\n {3}A flow kept it on /,
  )
  const gone = await cordon.run(['memory', 'forget', '--from', '~files', '--yes'])
  assert.match(gone.stdout, /^Forgotten: 1 fact, /)
})
