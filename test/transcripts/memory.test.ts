/** Memory as a person uses it: told in the chat, asked for after a restart, forgotten on the command line. No model. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'

const cordon = openCordon()
after(() => cordon[Symbol.asyncDispose]())

async function chat(...lines: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cordon.run(['chat'], { stdin: `${lines.join('\n')}\n` })
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

test('MEMORY-3: a fact that was told in the chat is known after a kill -9, and why', async () => {
  const { pid } = await cordon.ask<{ pid: number }>(['up', '--detach'])
  assert.equal(
    await chat('remember that my dentist is Dr. Adeyemi'),
    'I keep that as fact 1: my dentist is Dr. Adeyemi.\n',
  )
  process.kill(pid, 'SIGKILL')
  await cordon.ask(['up', '--detach'])
  const said = await chat(
    'what do you know about my dentist?',
    'why do you know that?',
    'who is my dentist',
  )
  assert.match(
    said,
    /^1\. my dentist is Dr\. Adeyemi\n1\. my dentist is Dr\. Adeyemi\n {3}You wrote on \d{4}-\d\d-\d\d \d\d:\d\d \(terminal\): remember that my dentist is Dr\. Adeyemi\n1\. my dentist is Dr\. Adeyemi\n$/,
  )
})

test('MEMORY-1: a credential in the chat is neither a fact nor in the history', async () => {
  assert.match(
    await chat('remember that my wifi password is hunter2xyz', 'status'),
    /^Cannot keep the fact: it looks like a credential[^]*`cordon vault set NAME` in another terminal/,
  )
  const { turns } = await cordon.ask<Output<'memory.search'>>(['memory', 'search', 'credential'])
  assert.equal(turns[0]?.said, '[credential pasted]')
  const { text } = await cordon.ask<Output<'memory.export'>>(['memory', 'export'])
  assert.match(text, /\[credential pasted\]/)
  assert.match(text, /you: status\n {2}Cordon: Cordon /)
  for (const file of ['state.db', 'state.db-wal', path.join('logs', 'cordon.log')])
    assert.doesNotMatch(readFileSync(path.join(cordon.home, file), 'latin1'), /hunter2xyz/, file)
})
